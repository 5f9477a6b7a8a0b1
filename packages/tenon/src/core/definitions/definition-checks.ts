/**
 * @fileoverview Checks that tools, resources, prompts, and extensions have in common. They run only at build time.
 * @module tenon/core/definitions/definition-checks
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf, schemaKindOf, showValue } from "@tenon/internal/kind-of";
import { isPromise } from "@tenon/internal/maybe-promise";
import { assertOptions, defineOptions } from "@tenon/internal/options/define-options";
import { custom, integer, text, texts } from "@tenon/internal/options/option-rows";
import type { Icon } from "../../protocol/index.js";
import { isStandardSchema } from "../../schema/compile.js";
import type { Issue, StandardSchema } from "../../schema/schema.js";

/** Names from other libraries for the option `handler`. */
export const HANDLER_ALIASES = ["callback", "cb", "call", "execute", "fn", "func", "run"] as const;

/** Option for the scopes that a caller must have. */
export const SCOPES = /* @__PURE__ */ defineOptions("scopes", {
  scopes: texts({
    aliases: ["scope", "requiredScopes"],
    fix: (value) => (typeof value === "string" ? `Use \`scopes: [${showValue(value)}]\`.` : undefined),
  }),
});

/** Options that tools, resources, and prompts have in common. */
export const COMMON_OPTIONS = /* @__PURE__ */ defineOptions("definition", {
  /** Display name for users. */
  title: text({ allowEmpty: true }),
  /** Description for the model or the user. */
  description: text({ allowEmpty: true }),
  /** Icons for clients that show the definition. */
  icons: custom<readonly Icon[]>({ expected: "an array of icons", accepts: Array.isArray }),
  /** Additional members of the definition, for clients that know them. */
  _meta: custom<JsonObject>({ expected: "an object", accepts: isJsonObject, aliases: ["meta"] }),
  /** Scopes that a principal must have to list and use the tool, resource, or prompt. */
  scopes: SCOPES.rows.scopes,
  /**
   * Timeout in milliseconds. When it expires, the call fails and its signal aborts.
   * @default the server's `deadlineMs`
   */
  deadlineMs: integer({ aliases: ["timeout", "timeoutMs"] }),
});

/** Phrase for a definition in error messages. */
export const DEFINITION = "an object with a `handler`";

/** Throws a `TypeError` if `scopes` is set to anything but an array of strings. */
export function assertScopes(label: string, scopes: unknown): void {
  assertOptions(SCOPES, { scopes }, label);
}

/** Throws a `TypeError` if a completer is not a function. */
export function assertCompleters(label: string, completers: object | undefined): void {
  for (const [name, completer] of Object.entries(completers ?? {})) {
    if (typeof completer !== "function")
      throw new TypeError(
        `${label}: the completer for "${name}" must be a function; got ${kindOf(completer)}.`,
      );
  }
}

/** Throws a `TypeError` if a middleware is not a function. */
export function assertMiddleware(label: string, layers: readonly unknown[]): void {
  for (const layer of layers) {
    if (typeof layer !== "function")
      throw new TypeError(`${label}: middleware must be a function; got ${kindOf(layer)}.`);
  }
}

/** Returns the first variable in a URI, such as `{id}`. URIs do not contain braces (RFC 3986). */
export function findVariable(uri: string): string | undefined {
  return /\{[^{}]*\}/.exec(uri)?.[0];
}

/** One field of a prompt's arguments schema. */
export interface ArgumentField {
  readonly name: string;
  /** The field's JSON Schema. */
  readonly json: unknown;
  /** Schema of all arguments, from which the field's own schema is read. */
  readonly schema: StandardSchema;
}

/**
 * Throws an error if a prompt argument does not accept text and does not convert it either. MCP clients send prompt
 * arguments as strings, so a field such as `z.number()` would reject every call.
 */
export function assertTextArgument(label: string, { name, json, schema }: ArgumentField): void {
  if (!isJsonObject(json) || acceptsText(json)) return;
  const field = memberOf(schema, name);
  if (field !== undefined && SAMPLES.some((sample) => mayAccept(field, sample))) return;
  throw new Error(
    `${label}: the argument "${name}" must accept text, because MCP clients send strings; ` +
      `got ${schemaKindOf(json)}. Use z.string(), or convert the text: z.coerce.number().`,
  );
}

/** Returns false only if the JSON Schema has types and `string` is not one of them. */
function acceptsText({ type }: { readonly type?: unknown }): boolean {
  if (typeof type === "string") return type === "string";
  return !Array.isArray(type) || type.includes("string");
}

function memberOf(schema: StandardSchema, name: string): StandardSchema | undefined {
  const shape: unknown = "shape" in schema ? schema.shape : undefined;
  const member = isJsonObject(shape) && Object.hasOwn(shape, name) ? shape[name] : undefined;
  return isStandardSchema(member) ? member : undefined;
}

/** Texts that a field which converts text is likely to accept. */
const SAMPLES = ["1", "true", "[]", "{}"];

/** Issues of a value whose type is wrong. A converted value fails with other issues, such as `too_small`. */
const WRONG_TYPE: readonly unknown[] = ["invalid_type", "invalid_value", "invalid_union", undefined];

/** Returns true if the field accepts the text, or if it got past the type check. JSON Schema does not show coercion. */
function mayAccept(field: StandardSchema, sample: string): boolean {
  try {
    const checked = field["~standard"].validate(sample);
    if (isPromise(checked)) {
      checked.then(undefined, () => undefined);
      return true;
    }
    const issues: readonly (Issue & { readonly code?: unknown })[] = checked.issues ?? [];
    return !issues.some(({ code, path }) => (path ?? []).length === 0 && WRONG_TYPE.includes(code));
  } catch {
    // Ignore the error: the field runs the application's own code, which may not expect this sample.
    return true;
  }
}
