/**
 * @fileoverview Finds out how a text can be shown: as JSON, as a table, or as Markdown.
 * @module ui/content/detect
 */
import { findExcess, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { toTableRows } from "../components/collections/table-model.js";
import { normalizeType } from "./media.js";

/** View of a text. */
export type TextView = "text" | "markdown" | "json" | "table";

/** Views that a text offers. */
export interface DetectedText {
  /** Views in the order of the switch. `text` is always one of them. */
  readonly views: readonly TextView[];
  /** View that is shown first. */
  readonly preferred: TextView;
  /** Value of a JSON text. */
  readonly json: unknown;
  /** Rows of a table. */
  readonly rows: readonly JsonObject[] | undefined;
}

/** Options of `detectText`. */
export interface DetectOptions {
  /** Media type of the text, if it is known. */
  readonly mediaType?: string | undefined;
}

/** Characters of a text that is parsed as JSON at most. */
const MAX_JSON = 5_000_000;
const MAX_JSON_DEPTH = 200;
const MAX_JSON_VALUES = 500_000;
/** Characters that are searched for Markdown. */
const SAMPLE = 4_000;

/** Detects the views of a text. Only objects and arrays count as JSON. */
export function detectText(text: string, { mediaType }: DetectOptions = {}): DetectedText {
  const json = parseContainer(text);
  if (json !== undefined) {
    const rows = toTableRows(json);
    return {
      views: ["text", "json", ...(rows === undefined ? [] : ["table" as const])],
      preferred: "json",
      json,
      rows,
    };
  }
  const type = normalizeType(mediaType ?? "text/plain");
  const isMarkdown = type === "text/markdown" || (type === "text/plain" && looksLikeMarkdown(text));
  return {
    views: ["text", "markdown"],
    preferred: isMarkdown ? "markdown" : "text",
    json: undefined,
    rows: undefined,
  };
}

/** Returns true if a text contains a construct of Markdown that is rare in other texts. */
export function looksLikeMarkdown(text: string): boolean {
  const sample = text.slice(0, SAMPLE);
  return MARKDOWN.some((pattern) => pattern.test(sample));
}

const MARKDOWN: readonly RegExp[] = [
  /^#{1,6} \S/m,
  /^(?:```|~~~)/m,
  /^ {0,3}(?:[-*+]|\d{1,3}[.)]) \S[^\r\n\u2028\u2029]*\r?\n {0,3}(?:[-*+]|\d{1,3}[.)]) \S/m,
  /\*\*[^\s*][^*\n]{0,200}\*\*/,
  /\[[^\]\n]{1,200}\]\((?:https?:|mailto:)[^)\s]{1,500}\)/,
  /^\|[^\n]{1,500}\|[ \t]*\n\|[ \t]*:?-/m,
  /^> \S/m,
];

/** Finds the rows of a table in a value: the value itself, or its only member that is an array of objects. */
export function findRows(value: unknown): readonly JsonObject[] | undefined {
  const own = toTableRows(value);
  if (own !== undefined || !isJsonObject(value)) return own;
  const tables = Object.values(value)
    .map(toTableRows)
    .filter((rows) => rows !== undefined);
  return tables.length === 1 ? tables[0] : undefined;
}

/** Parses a text that is an object or an array. Returns `undefined` for other texts, and for those above the limits. */
function parseContainer(text: string): unknown {
  const first = /\S/.exec(text.slice(0, 1_000))?.[0];
  if ((first !== "{" && first !== "[") || text.length > MAX_JSON) return undefined;
  if (findExcess(text, MAX_JSON_DEPTH, MAX_JSON_VALUES) !== undefined) return undefined;
  return readJson(text);
}
