/**
 * @fileoverview Checks the headers of a stateless HTTP request against its body. Proxies route by these headers, so
 * they must match the body that the server acts on.
 * @module tenon/protocol/revisions/headers
 */
import { fromBase64 } from "@tenon/internal/base64";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { DATA_KEYWORDS, MAP_KEYWORDS } from "@tenon/internal/schema/keywords";
import { printable, quoted, trimEndOf } from "@tenon/internal/text";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { JsonRpcRequest } from "../json-rpc.js";
import { META } from "./envelope.js";

/** Returns a request header by its case-insensitive name. */
export type HeaderReader = (name: string) => string | null | undefined;

/** Tool argument repeated in a header. */
export interface HeaderRule {
  /** Lower-case header name, `mcp-param-…`. */
  readonly header: string;
  /** Keys that lead to the argument, outermost first. */
  readonly path: readonly string[];
  readonly type: "string" | "integer" | "boolean";
}

/**
 * Returns true if a stateless request's headers match its body exactly, which is the usual case. Otherwise, the checks
 * below decide whether the request is valid.
 */
export function headersAgree(message: JsonRpcRequest, header: HeaderReader): boolean {
  const { method, params } = message;
  const meta = params?.["_meta"];
  if (!isJsonObject(meta) || header("mcp-method") !== method) return false;
  const version = meta[META.protocolVersion];
  if (typeof version !== "string" || header("mcp-protocol-version") !== version) return false;
  const field = NAME_FIELDS.get(method);
  if (field === undefined) return true;
  const name = params?.[field];
  // Other names may be encoded and require the detailed check.
  return typeof name === "string" && header("mcp-name") === name && PLAIN_NAME.test(name);
}

const PLAIN_NAME = /^[\w./:-]+$/;

/**
 * Parameters that the `Mcp-Name` header repeats, by method. In the stateless revisions, a method must not select its
 * target by any other parameter, because proxies see only the header. Methods of earlier versions of the Tasks extension
 * are unknown, so their headers do not matter.
 */
export const NAME_FIELDS: ReadonlyMap<string, "name" | "uri" | "taskId"> = /* @__PURE__ */ new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);

/**
 * Checks that the header and the body name the same revision. Runs before either is validated. Returns the reason for a
 * mismatch.
 */
export function checkVersionHeader(message: JsonRpcRequest, header: HeaderReader): string | undefined {
  const meta = message.params?.["_meta"];
  const version = isJsonObject(meta) ? meta[META.protocolVersion] : undefined;
  const named = trimmed(header("mcp-protocol-version"));
  return typeof version !== "string" || named === undefined
    ? undefined
    : checkHeader("MCP-Protocol-Version", named, version);
}

/** Checks the headers that every stateless request requires. Returns the reason for a mismatch. */
export function checkStandardHeaders(message: JsonRpcRequest, header: HeaderReader): string | undefined {
  const meta = message.params?.["_meta"];
  const version = isJsonObject(meta) ? meta[META.protocolVersion] : undefined;
  return (
    checkHeader("MCP-Protocol-Version", trimmed(header("mcp-protocol-version")), version) ??
    checkHeader("Mcp-Method", trimmed(header("mcp-method")), message.method) ??
    checkName(message, header)
  );
}

/** Checks the headers that a tool's schema requires. Returns the reason for a mismatch. */
export function checkParamHeaders(
  rules: readonly HeaderRule[],
  args: unknown,
  header: HeaderReader,
): string | undefined {
  for (const rule of rules) {
    const value = valueAt(args, rule.path);
    const raw = trimmed(header(rule.header));
    if (value === undefined || value === null) {
      if (raw !== undefined) {
        return `The ${rule.header} header requires the argument "${nameOf(rule)}". Send both or neither.`;
      }
      continue;
    }
    if (raw === undefined) {
      return `The ${rule.header} header is required when the argument "${nameOf(rule)}" is sent.`;
    }
    const decoded = decodeHeaderValue(raw);
    if (decoded === undefined) return describeMalformed(rule.header, raw);
    if (!sameValue(rule.type, decoded, value)) {
      return `The ${rule.header} header does not match the argument "${nameOf(rule)}".`;
    }
  }
  return undefined;
}

function nameOf({ path }: HeaderRule): string {
  return path.join(".");
}

/** Header rules from a tool's input schema, or the reason a rule is invalid. */
export type HeaderRules =
  | { readonly ok: true; readonly rules: readonly HeaderRule[] }
  | { readonly ok: false; readonly path: string; readonly reason: string };

/** Reads every `x-mcp-header` in a schema. Only properties of the input object and its nested objects may have one. */
export function compileHeaderRules(schema: JsonObject): HeaderRules {
  const rules: HeaderRule[] = [];
  // Most schemas contain no annotation, and searching the text is faster than walking the schema.
  if (!JSON.stringify(schema).includes(ANNOTATION)) return { ok: true, rules };
  const problem = collectRules(schema, [], rules) ?? findStray(schema, true, "");
  if (problem !== undefined) return { ok: false, ...problem };
  const seen = new Map<string, string>();
  for (const rule of rules) {
    const path = nameOf(rule);
    const first = seen.get(rule.header);
    if (first !== undefined) {
      const taken = `The header "${rule.header}" is already used by "${first}".`;
      const reason = `${taken} Each \`${ANNOTATION}\` value must be unique.`;
      return { ok: false, path, reason };
    }
    seen.set(rule.header, path);
  }
  return { ok: true, rules };
}

/** Decodes a value of the form `=?base64?…?=`. Returns plain text unchanged, and `undefined` for a malformed value. */
export function decodeHeaderValue(raw: string): string | undefined {
  if (raw.startsWith("=?base64?") && raw.endsWith("?=") && raw.length >= "=?base64??=".length) {
    const bytes = fromBase64(raw.slice("=?base64?".length, -2));
    return bytes === undefined ? undefined : decodeUtf8(bytes);
  }
  return /^[\x20-\x7e\t]*$/.test(raw) ? raw : undefined;
}

type Problem = { readonly path: string; readonly reason: string };

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const ANNOTATION = "x-mcp-header";

function collectRules(schema: JsonObject, path: readonly string[], rules: HeaderRule[]): Problem | undefined {
  const properties = schema["properties"];
  if (!isJsonObject(properties)) return undefined;
  for (const [key, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const here = [...path, key];
    const name = property[ANNOTATION];
    if (name !== undefined) {
      const type = property["type"];
      const at = here.join(".");
      if (typeof name !== "string" || !TOKEN.test(name)) {
        const got = printable(JSON.stringify(name));
        return { path: at, reason: `\`${ANNOTATION}\` must be a valid HTTP field name; got ${got}.` };
      }
      if (type !== "string" && type !== "integer" && type !== "boolean") {
        const got = type === undefined ? "none" : printable(JSON.stringify(type));
        const reason = `\`${ANNOTATION}\` requires the type string, integer, or boolean; got ${got}.`;
        return { path: at, reason };
      }
      rules.push({ header: `mcp-param-${name.toLowerCase()}`, path: here, type });
    }
    const deeper = collectRules(property, here, rules);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** Finds an annotation inside a keyword other than `properties`. Clients ignore such annotations. */
function findStray(schema: unknown, reachable: boolean, path: string): Problem | undefined {
  if (Array.isArray(schema)) {
    return firstProblem(schema.entries(), (item, index) => findStray(item, false, `${path}/${index}`));
  }
  if (!isJsonObject(schema)) return undefined;
  if (schema[ANNOTATION] !== undefined && (!reachable || path === "")) {
    return {
      path,
      reason:
        `\`${ANNOTATION}\` is allowed only on properties of the input object and its nested objects, ` +
        "not inside arrays, `anyOf`, or other keywords.",
    };
  }
  return firstProblem(Object.entries(schema), (member, key) => {
    if (DATA_KEYWORDS.has(key)) return undefined;
    if (!MAP_KEYWORDS.has(key) || !isJsonObject(member)) return findStray(member, false, `${path}/${key}`);
    return firstProblem(Object.entries(member), (property, name) =>
      findStray(property, reachable && key === "properties", `${path}/${key}/${name}`),
    );
  });
}

function firstProblem<K>(
  entries: Iterable<readonly [K, unknown]>,
  find: (value: unknown, key: K) => Problem | undefined,
): Problem | undefined {
  for (const [key, value] of entries) {
    const problem = find(value, key);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkName(message: JsonRpcRequest, header: HeaderReader): string | undefined {
  const field = NAME_FIELDS.get(message.method);
  if (field === undefined) return undefined;
  const expected = message.params?.[field];
  // A body without the name is rejected later with a better reason.
  if (typeof expected !== "string") return undefined;
  const raw = trimmed(header("mcp-name"));
  const decoded = raw === undefined ? undefined : decodeHeaderValue(raw);
  return raw !== undefined && decoded === undefined
    ? describeMalformed("Mcp-Name", raw)
    : checkHeader("Mcp-Name", decoded, expected);
}

function checkHeader(name: string, actual: string | undefined, expected: unknown): string | undefined {
  if (actual === undefined) return `The ${name} header is required and must match the body.`;
  if (actual === expected) return undefined;
  const wanted = typeof expected === "string" ? ` ("${quoted(expected)}")` : "";
  return `The ${name} header must match the body${wanted}; got "${quoted(actual)}".`;
}

function describeMalformed(name: string, raw: string): string {
  const form = '"=?base64?<UTF-8 in base64>?="';
  return `The ${name} header must be printable ASCII or ${form}; got "${printable(raw)}".`;
}

/** Trims spaces and tabs. Most HTTP servers have already trimmed the value, so its ends are checked first. */
function trimmed(value: string | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1))) return value;
  return trimEndOf(value, " \t").replace(/^[ \t]+/, "");
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function sameValue(type: HeaderRule["type"], header: string, value: unknown): boolean {
  if (type !== "integer") return header === String(value);
  return /^-?\d+(\.0+)?$/.test(header) && Number.isSafeInteger(value) && Number(header) === value;
}
