/**
 * @fileoverview Model of a strict parser: UTF-8, JSON, and the limits on size, depth, and number of values. It does not
 * use the code of the server.
 * @module tools/fuzz/model/json-rules
 */

/** Limits of the server, from its documentation. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_VALUES = 25_000;

/** Error codes of JSON-RPC and MCP. */
export const CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** Parsed value, or the codes with which a server may reject the bytes. */
export type Parsed =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly codes: readonly number[] };

/** JSON object. */
export type Fields = { readonly [key: string]: unknown };

/** Returns true if a value is a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Returns `undefined` for malformed bytes. */
export function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses a frame as a server with the default limits must. */
export function parseStrictly(bytes: Uint8Array): Parsed {
  if (bytes.length > MAX_BYTES) return reject(CODES.invalidRequest);
  const text = decodeStrictly(bytes);
  if (text === undefined) return reject(CODES.parse);
  const { depth, values, brackets } = measure(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The limits are checked before the text is parsed, so either error is right.
    return brackets > MAX_DEPTH || text.length > 2 * MAX_VALUES
      ? reject(CODES.parse, CODES.invalidRequest)
      : reject(CODES.parse);
  }
  if (depth > MAX_DEPTH || values > MAX_VALUES) return reject(CODES.invalidRequest);
  return { ok: true, value };
}

/** Measures JSON text. The depth and the number of values of text that is not JSON are meaningless. */
export function measure(text: string): {
  readonly depth: number;
  readonly values: number;
  readonly brackets: number;
} {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let brackets = 0;
  let isString = false;
  let isEmpty = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isString) {
      if (character === "\\") at++;
      else if (character === '"') isString = false;
      continue;
    }
    if (character === "]" || character === "}") depth--;
    else if (character !== " " && character !== "\t" && character !== "\n" && character !== "\r" && isEmpty)
      values++;
    if (character === " " || character === "\t" || character === "\n" || character === "\r") continue;
    isEmpty = character === "[" || character === "{";
    if (character === '"') isString = true;
    else if (character === ",") values++;
    else if (isEmpty) {
      brackets++;
      deepest = Math.max(deepest, ++depth);
    }
  }
  return { depth: deepest, values, brackets: brackets + countInside(text, brackets) };
}

/** Counts the brackets in strings. A server may count them before it knows where strings end. */
function countInside(text: string, outside: number): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (text[at] === "[" || text[at] === "{") count++;
  return count - outside;
}

function reject(...codes: readonly number[]): Parsed {
  return { ok: false, codes };
}
