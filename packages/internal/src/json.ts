/**
 * @fileoverview Parses untrusted JSON. Limits are checked on the text before it is parsed, and keys that could pollute
 * a prototype are removed.
 * @module internal/json
 */

/** Object with JSON members of unknown type. */
export type JsonObject = { readonly [key: string]: unknown };

/** Returns true if a value is an object, not an array, null, or a scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true if a value is a plain object, not a class instance. */
export function isPlainObject(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Parses JSON text and removes keys that could pollute a prototype. Returns `undefined` for text that is not JSON.
 * Valid JSON never yields `undefined`.
 *
 * @param isPlain true if this text, or a larger text around it, was already searched and does not contain such keys
 */
export function readJson(text: string, isPlain = false): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isPlain && mayReachPrototype(text)) scrubPrototypeKeys(value);
  return value;
}

/** Returns true if JSON text nests deeper than `limit`. The result for text that is not JSON is unspecified. */
export function exceedsDepth(text: string, limit: number): boolean {
  return findExcess(text, limit, Number.POSITIVE_INFINITY) === "depth";
}

/**
 * Returns the limit that a JSON text exceeds: `depth` if it nests deeper than `maxDepth`, `values` if it contains more
 * than `maxValues` values. The root, every array element, and every object member count as values. For text that is not
 * JSON, the result is unspecified, because the parser rejects such text later.
 *
 * Each value takes at least two characters, including the comma or bracket before it, so a short text cannot exceed
 * `maxValues`. Native bracket searches rule out deep nesting in most texts, at a third of the cost of a scan.
 */
export function findExcess(
  text: string,
  maxDepth: number,
  maxValues: number,
): "depth" | "values" | undefined {
  // One scan checks both limits, so the bracket search is skipped for long texts.
  const mustScan = text.length > 2 * maxValues || (text.length > maxDepth && opensMoreThan(text, maxDepth));
  return mustScan ? scan(text, maxDepth, maxValues) : undefined;
}

/**
 * Returns true if `text` contains more than `limit` opening brackets, including those inside strings. Text with fewer
 * brackets cannot nest deeper.
 */
function opensMoreThan(text: string, limit: number): boolean {
  let count = 0;
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at + 1)) {
    if (++count > limit) return true;
  }
  for (let at = text.indexOf("["); at !== -1; at = text.indexOf("[", at + 1)) {
    if (++count > limit) return true;
  }
  return false;
}

/** Scans the text outside strings until a limit is exceeded. Native searches skip the strings. */
function scan(text: string, maxDepth: number, maxValues: number): "depth" | "values" | undefined {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    // Two comparisons skip digits, colons, and whitespace, which make up most of the text outside strings.
    if (code > COMMA ? code < OPEN_BRACKET : code < QUOTE) continue;
    if (code === COMMA) {
      if (++values > maxValues) return "values";
    } else if (code === QUOTE) {
      index = endOfString(text, index + 1);
      if (index === -1) return undefined;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > maxDepth) return "depth";
      if (!closesAt(text, index + 1) && ++values > maxValues) return "values";
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
    }
  }
  return undefined;
}

/** Returns true if the first non-space character from `start` on is a closing bracket. */
function closesAt(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) <= SPACE) at++;
  const code = text.charCodeAt(at);
  return code === CLOSE_BRACE || code === CLOSE_BRACKET;
}

/** Returns true if a value contains more than `limit` elements and members in total. Stops counting at the limit. */
export function hasMoreValues(value: unknown, limit: number): boolean {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const container = open.pop();
    if (typeof container !== "object" || container === null) continue;
    if (Array.isArray(container) && count + container.length > limit) return true;
    for (const key in container) {
      if (++count > limit) return true;
      open.push((container as JsonObject)[key]);
    }
  }
  return false;
}

/** Serializes a value with sorted keys. Equal values produce equal text, regardless of their key order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${members.join(",")}}`;
}

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Returns the index of the quote that ends the string whose content starts at `start`, or -1. A string with one escaped
 * quote often contains many, such as JSON inside a string. A scan is then cheaper than one native search per quote.
 */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start);
  let escapes = 0;
  while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
  if (escapes % 2 === 0) return end;
  for (let index = end + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index++;
  }
  return -1;
}

/**
 * Checks quickly if text may contain a key that could pollute a prototype. A `\u` escape may hide any letter of
 * such a key, so it counts as a match.
 *
 * The search terms are chosen for speed. A search for one character is a native loop. A search for multiple characters
 * stops at each occurrence of the first, and is slower from seven characters on. A short text is searched for terms that
 * are short and start with characters that are rare in messages, and for the whole key only after a match. A long text
 * consists mostly of strings, in which quotes are rarer than any letter.
 */
export function mayReachPrototype(text: string): boolean {
  return (
    text.includes("__p") ||
    (text.includes("\\") && text.includes("\\u")) ||
    ((text.length > 4_096 || text.includes('ype"')) && text.includes('"prototype"'))
  );
}

/** Copies an object without its undefined members. */
export function withoutUndefined<T extends object>(members: T): Defined<T> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<T>; // Safe: same keys and values, except those that the type excludes
}

type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };

/**
 * Removes `__proto__` keys and `constructor` objects that have a `prototype`. Otherwise, an application that copies
 * arguments with `Object.assign` or a deep merge would let clients pollute its prototypes. The walk is iterative and
 * bounded by the depth and size limits, which are checked first.
 */
function scrubPrototypeKeys(root: unknown): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
    const constructor: unknown = Object.hasOwn(value, "constructor") ? value.constructor : undefined;
    if (isJsonObject(constructor) && Object.hasOwn(constructor, "prototype")) {
      Reflect.deleteProperty(value, "constructor");
    }
    for (const member of Object.values(value)) open.push(member);
  }
}
