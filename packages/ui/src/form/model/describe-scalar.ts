/**
 * @fileoverview Describes fields for strings, numbers, and files.
 * @module ui/form/model/describe-scalar
 */
import type { JsonObject } from "@tenon/internal/json";
import { factsOf, fileHint } from "./facts.js";
import type { FileField, JsonField, NumberField, TextField, TextFormat } from "./field.js";
import { combine, readNumber, readString } from "./schema.js";

/** Length from which a text has several lines. */
const LONG_TEXT = 200;
const FORMATS: Readonly<Record<string, TextFormat>> = {
  date: "date",
  "date-time": "date-time",
  time: "time",
  email: "email",
  "idn-email": "email",
  uri: "uri",
  url: "uri",
  iri: "uri",
  color: "color",
  password: "password",
};
const MULTILINE_FORMATS: ReadonlySet<string> = new Set(["textarea", "multiline", "multi-line", "markdown"]);
const FILE_FORMATS: ReadonlySet<string> = new Set(["byte", "binary", "base64", "data-url"]);
const TEXT_MEDIA_TYPE =
  /^text\/|^application\/(?:json|xml|yaml|javascript|sql|graphql|toml)\b|\+(?:json|xml|yaml)$/i;

/** Options for files. */
export interface FileOptions {
  /** Maximum size of a file in bytes, if the schema has no smaller limit. */
  readonly maxFileBytes: number;
}

/** Describes a field for a string, or for a file as a string. */
export function describeString(schema: JsonObject, { maxFileBytes }: FileOptions): TextField | FileField {
  const facts = factsOf(schema);
  const format = readString(schema, "format") ?? "";
  const mediaType = readString(schema, "contentMediaType");
  const maxLength = readNumber(schema, "maxLength");
  const isText = mediaType !== undefined && TEXT_MEDIA_TYPE.test(mediaType);
  const isBase64 = readString(schema, "contentEncoding") === "base64" || FILE_FORMATS.has(format);
  if (isBase64 || (mediaType !== undefined && !isText)) {
    // Base64 has four characters for three bytes.
    const maxBytes = Math.min(maxFileBytes, Math.floor(((maxLength ?? Infinity) * 3) / 4));
    return {
      ...facts,
      kind: "file",
      encoding: format === "data-url" ? "data-url" : "base64",
      mediaType,
      maxBytes,
      hints: [fileHint(maxBytes), ...(mediaType === undefined ? [] : [mediaType])],
    };
  }
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  const isLong =
    isText || MULTILINE_FORMATS.has(format) || (maxLength !== undefined && maxLength > LONG_TEXT);
  return { ...facts, kind: "text", format: known, isMultiline: known === undefined && isLong };
}

/** Describes a field for a number. */
export function describeNumber(schema: JsonObject, isInteger: boolean): NumberField {
  const above = readNumber(schema, "exclusiveMinimum");
  const below = readNumber(schema, "exclusiveMaximum");
  const least = isInteger && above !== undefined ? Math.floor(above) + 1 : above;
  const most = isInteger && below !== undefined ? Math.ceil(below) - 1 : below;
  return {
    ...factsOf(schema),
    kind: "number",
    isInteger,
    min: combine(Math.max, readNumber(schema, "minimum"), least),
    max: combine(Math.min, readNumber(schema, "maximum"), most),
  };
}

/** Describes a field that is edited as JSON. */
export function describeJson(schema: JsonObject, reason?: string, emptyValue: unknown = null): JsonField {
  return { ...factsOf(schema), kind: "json", reason, emptyValue };
}
