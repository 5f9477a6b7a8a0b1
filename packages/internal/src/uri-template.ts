/**
 * @fileoverview Matches URIs against URI templates (RFC 6570). Matching reads the URI once per template part and never
 * backtracks, so no input makes it slow.
 * @module internal/uri-template
 */
import type { Bytes } from "./bytes.js";

/** Values of a template's variables by name. An exploded variable (`{/path*}`) has a list of values. */
export type TemplateValues = Record<string, string | string[]>;

/** Compiled URI template. */
export interface UriTemplate {
  readonly source: string;
  /** Names of the variables, in template order. Query variables come last. */
  readonly variables: readonly string[];
  /**
   * Returns the decoded values that expand to `uri`, or `undefined` if `uri` does not match. Values are decoded once.
   *
   * A value of a simple variable, such as `{name}`, is one path segment: a URI does not match if the value contains
   * `/`, `\`, or a null character, or if it is `.` or `..`. The same applies to each value of `{/path*}`. Values of `+`
   * and `#` variables may contain anything except a null character, and values of query variables anything.
   */
  match(uri: string): TemplateValues | undefined;
  /**
   * Returns the values as they are written in `uri`, still percent-encoded. A value that `match` would reject does not
   * match, because the caller may decode it. Invalid escapes match, but do not hide valid ones next to them.
   */
  matchEncoded(uri: string): TemplateValues | undefined;
}

/** Compiles a template. @throws if it is malformed or uses an expression that cannot be matched */
export function compileUriTemplate(source: string): UriTemplate {
  const { parts, query } = parseTemplate(source);
  const variables = [...parts.flatMap((part) => (part.kind === "value" ? [part.name] : [])), ...query];
  const twice = variables.find((name, index) => variables.indexOf(name) !== index);
  if (twice !== undefined)
    throw new Error(
      `URI template "${source}" contains the variable {${twice}} twice. Rename one of the variables.`,
    );
  const literals = parts.map((part) => (part.kind === "literal" ? part.text : "")).join("");
  // After a fixed query (`?kind=a{&page}`), the variables start at the ampersand after its pairs.
  const fixedPairs = literals.includes("?") ? literals.slice(literals.indexOf("?")).split("&").length : 0;
  const read = (uri: string, reader: ValueReader): TemplateValues | undefined => {
    if (uri.length > MAX_URI) return undefined;
    const start = query.length > 0 ? queryStart(uri, fixedPairs) : -1;
    const values = matchParts(parts, start === -1 ? uri : uri.slice(0, start), reader);
    if (values === undefined || start === -1) return values;
    return readQuery(uri.slice(start + 1), { names: query, values, reader }) ? values : undefined;
  };
  return {
    source,
    variables,
    match: (uri) => read(uri, DECODED),
    matchEncoded: (uri) => read(uri, ENCODED),
  };
}

/** Converts the text of a value in a URI. Returns `undefined` if the URI does not match because of it. */
interface ValueReader {
  /** Reads a value that is one path segment. */
  readonly segment: (text: string) => string | undefined;
  /** Reads a value that may contain several path segments. */
  readonly reserved: (text: string) => string | undefined;
  /** Reads a value of a query. */
  readonly query: (text: string) => string | undefined;
}

const DECODED: ValueReader = {
  segment: (text) => checkValue(decode(text), NOT_A_SEGMENT),
  reserved: (text) => checkValue(decode(text), NULL),
  query: (text) => decode(text.replaceAll("+", " ")),
};

const ENCODED: ValueReader = {
  segment: (text) => (isUnsafe(text, NOT_A_SEGMENT) ? undefined : text),
  reserved: (text) => (isUnsafe(text, NULL) ? undefined : text),
  query: (text) => text,
};

function checkValue(value: string | undefined, forbidden: RegExp): string | undefined {
  return value === undefined || forbidden.test(value) ? undefined : value;
}

/** Returns true for a value that may not be decoded. */
function isUnsafe(text: string, forbidden: RegExp): boolean {
  return forbidden.test(decode(text) ?? decodeValidEscapes(text));
}

/**
 * Decodes the escapes of ASCII characters next to invalid ones, as `querystring.unescape`, `unescape`, and replacements of
 * single escapes do. `decodeURIComponent` rejects such a value.
 */
function decodeValidEscapes(text: string): string {
  return text.replaceAll(/%(?:u00)?([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

// A decoded separator or dot segment would let a value that is used in a path point outside its folder.
// oxlint-disable-next-line no-control-regex -- a null character ends a path in some systems
const NOT_A_SEGMENT = /[/\\\0]|^\.{1,2}$/;

// oxlint-disable-next-line no-control-regex -- as above
const NULL = /\0/;

/** Maximum length of a URI in characters. Longer URIs never match. */
const MAX_URI = 8192;

type Part = { readonly kind: "literal"; readonly text: string } | Value;

/** Variable of a template. */
interface Value {
  readonly kind: "value";
  readonly name: string;
  readonly allowed: RegExp;
  /** Separator of the values of an exploded variable. */
  readonly list?: string;
}

/** Characters that a plain variable may contain: unreserved characters and escapes. */
const UNRESERVED = /[A-Za-z0-9\-._~%]/;
/** Characters that a `+` or `#` variable may contain, including reserved characters. */
const RESERVED = /[A-Za-z0-9\-._~%:/?#[\]@!$&'()*+,;=]/;
/** Characters that an exploded path may contain, including the slash between segments. */
const SEGMENTS = /[A-Za-z0-9\-._~%/]/;

/** Template split into its parts and its query variables. */
interface ParsedTemplate {
  readonly parts: Part[];
  /** Query variable names, in template order. */
  readonly query: string[];
}

function parseTemplate(source: string): ParsedTemplate {
  const parts: Part[] = [];
  const query: string[] = [];
  let at = 0;
  while (at < source.length) {
    const open = source.indexOf("{", at);
    const literal = source.slice(at, open === -1 ? source.length : open);
    if (literal.includes("}")) throw new Error(`URI template "${source}" has a "}" without a matching "{".`);
    if (literal !== "") {
      if (query.length > 0) throw queryNotLast(source);
      parts.push({ kind: "literal", text: literal });
    }
    if (open === -1) break;
    const close = source.indexOf("}", open);
    if (close === -1) throw new Error(`URI template "${source}" has a "{" without a matching "}".`);
    parseExpression(source, source.slice(open + 1, close), { parts, query });
    at = close + 1;
  }
  return { parts, query };
}

function parseExpression(source: string, expression: string, { parts, query }: ParsedTemplate): void {
  const match = /^([+#./;?&]?)(.+)$/.exec(expression);
  const operator = match?.[1] ?? "";
  const names = (match?.[2] ?? "").split(",");
  for (const [index, spec] of names.entries()) {
    const [, name, explode] = /^([A-Za-z0-9_][A-Za-z0-9_.]*)(\*?)$/.exec(spec) ?? [];
    if (name === undefined)
      throw new Error(
        `URI template "${source}" has the unsupported expression {${expression}}. ` +
          "Use variable names with letters, digits, underscores, and dots, separated by commas.",
      );
    if (explode === "*" && operator !== "/") {
      throw new Error(
        `URI template "${source}" uses the explode modifier in {${expression}}. ` +
          "Only path variables, such as {/name*}, support it.",
      );
    }
    if (operator === "?" || operator === "&") {
      query.push(name);
      continue;
    }
    if (query.length > 0) throw queryNotLast(source);
    const lead = leadOf(operator, name, index);
    if (lead !== "") parts.push({ kind: "literal", text: lead });
    if (explode === "*") parts.push({ kind: "value", name, allowed: SEGMENTS, list: "/" });
    else
      parts.push({
        kind: "value",
        name,
        allowed: operator === "+" || operator === "#" ? RESERVED : UNRESERVED,
      });
  }
}

function queryNotLast(source: string): Error {
  return new Error(`URI template "${source}" must end with its query variables. Move them to the end.`);
}

/** Returns the literal text in front of a variable. */
function leadOf(operator: string, name: string, index: number): string {
  switch (operator) {
    case "":
    case "+":
      return index === 0 ? "" : ",";
    case "#":
      return index === 0 ? "#" : ",";
    case ";":
      return `;${name}=`;
    default:
      return operator;
  }
}

/**
 * Finds every position where each part may end. Then walks back from the end of the URI and starts each variable as
 * early as possible, so that the first variable is the shortest.
 */
function matchParts(parts: readonly Part[], uri: string, reader: ValueReader): TemplateValues | undefined {
  const reached: Uint8Array[] = [];
  let before = new Uint8Array(uri.length + 1);
  before[0] = 1;
  for (const part of parts) {
    reached.push(before);
    before =
      part.kind === "literal" ? afterLiteral(before, uri, part.text) : afterValue(before, uri, part.allowed);
  }
  if (before[uri.length] !== 1) return undefined;

  const values: TemplateValues = {};
  let end = uri.length;
  for (let index = parts.length - 1; index >= 0; index--) {
    const part = parts[index];
    const starts = reached[index];
    if (part === undefined || starts === undefined) return undefined;
    if (part.kind === "literal") {
      end -= part.text.length;
      continue;
    }
    const start = lastStart(uri, end, { starts, allowed: part.allowed });
    const value = readValue(uri.slice(start, end), part, reader);
    if (value === undefined) return undefined;
    setValue(values, part.name, value);
    end = start;
  }
  return values;
}

function afterLiteral(before: Uint8Array, uri: string, text: string): Bytes {
  const after = new Uint8Array(uri.length + 1);
  for (let at = uri.indexOf(text); at !== -1; at = uri.indexOf(text, at + 1)) {
    if (before[at] === 1) after[at + text.length] = 1;
  }
  return after;
}

/** Returns the positions where a variable may end. A value has at least one character. */
function afterValue(before: Uint8Array, uri: string, allowed: RegExp): Bytes {
  const after = new Uint8Array(uri.length + 1);
  let running = false;
  for (let at = 0; at < uri.length; at++) {
    running = (running || before[at] === 1) && allowed.test(uri.charAt(at));
    if (running) after[at + 1] = 1;
  }
  return after;
}

/** Positions where a variable may start, and the characters that it may contain. */
interface StartRules {
  readonly starts: Uint8Array;
  readonly allowed: RegExp;
}

function lastStart(uri: string, end: number, { starts, allowed }: StartRules): number {
  let best = end;
  for (let at = end - 1; at >= 0 && allowed.test(uri.charAt(at)); at--) {
    // Keep the earliest start that the preceding parts can reach.
    if (starts[at] === 1) best = at;
  }
  return best;
}

/**
 * Finds the start of the query variables, after the template's `fixedPairs` literal pairs. Returns -1 if the URI does
 * not contain them.
 */
function queryStart(uri: string, fixedPairs: number): number {
  let at = uri.indexOf("?");
  for (let pairs = fixedPairs; pairs > 0 && at !== -1; pairs--) at = uri.indexOf("&", at + 1);
  return at;
}

/** Query variables of a template, and the values read so far. */
interface QueryRules {
  readonly names: readonly string[];
  readonly values: TemplateValues;
  readonly reader: ValueReader;
}

function readQuery(text: string, { names, values, reader }: QueryRules): boolean {
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const cut = pair.indexOf("=");
    const name = decode(cut === -1 ? pair : pair.slice(0, cut));
    const value = reader.query(cut === -1 ? "" : pair.slice(cut + 1));
    if (name === undefined || value === undefined || !names.includes(name)) return false;
    setValue(values, name, value);
  }
  return true;
}

/** Reads the value of a variable: a list for an exploded variable. */
function readValue(text: string, part: Value, reader: ValueReader): string | string[] | undefined {
  if (part.list === undefined)
    return part.allowed === RESERVED ? reader.reserved(text) : reader.segment(text);
  const values: string[] = [];
  for (const one of text.split(part.list)) {
    const value = reader.segment(one);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/** Defines an own property, because a variable may be named `__proto__`. */
function setValue(values: TemplateValues, name: string, value: string | string[]): void {
  Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
