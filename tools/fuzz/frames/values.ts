/**
 * @fileoverview Hostile JSON values, as text: numbers that no double holds, lone surrogates, duplicate keys, and keys
 * that could pollute a prototype.
 * @module tools/fuzz/frames/values
 */
import type { Random } from "../../random.js";

/** Member of an object: the text of its name, with quotes, and the text of its value. */
export type Member = readonly [name: string, value: string];

/** Names of the definitions of the server, and names that every object inherits. */
export const NAMES = [
  "typed",
  "structured",
  "later",
  "broken",
  "rejected",
  "told",
  "asks",
  "json",
  "fixed",
  "prompt",
  "__proto__",
  "constructor",
  "toString",
  "",
] as const;

/** URIs of the resources of the server, and URIs that no resource has. */
export const URIS = [
  "doc://fixed",
  "doc://broken",
  "doc://a/b/c?c=1",
  "doc://%zz/x",
  `doc://${"a/".repeat(300)}`,
  "nonsense",
  "file:///etc/passwd",
] as const;

const SCALARS: readonly string[] = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "-1",
  "0.1",
  "1.0",
  "1e2",
  "1e308",
  "-1e308",
  "1e400",
  "-1e400",
  "1e-400",
  "5e-324",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "123456789012345678901234567890",
  "9".repeat(400),
  `0.${"0".repeat(400)}1`,
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\ud83d\\ude00"',
  '"\\u005f_proto__"',
  '"😀"',
  '"ż\u2028\u2029"',
  '"\\/\\b\\f\\n\\r\\t\\"\\\\"',
  `"${"a".repeat(2_000)}"`,
  `"${"\\u0041".repeat(100)}"`,
  ...NAMES.map((name) => JSON.stringify(name)),
  ...URIS.map((uri) => JSON.stringify(uri)),
];

const KEYS: readonly string[] = [
  "name",
  "uri",
  "arguments",
  "cursor",
  "ref",
  "argument",
  "level",
  "requestState",
  "inputResponses",
  "notifications",
  "_meta",
  "id",
  "method",
  "params",
  "jsonrpc",
  "result",
  "error",
  "city",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "then",
  "toJSON",
  "length",
  "requestId",
  "protocolVersion",
  "capabilities",
  "progressToken",
  "",
  "0",
];

/** Maximum nesting of a hostile value. */
const MAX_DEPTH = 4;

/** Returns the text of a hostile value. */
export function hostileValue(random: Random, depth = 0): string {
  const kind = random.between(0, 99);
  if (depth >= MAX_DEPTH || kind < 60) return random.pick(SCALARS);
  if (kind < 72) {
    const items = Array.from({ length: random.between(0, 3) }, () => hostileValue(random, depth + 1));
    return `[${items.join(",")}]`;
  }
  if (kind < 97) {
    const members = Array.from({ length: random.between(0, 4) }, (): Member => [
      hostileKey(random),
      hostileValue(random, depth + 1),
    ]);
    return toObject(members, random);
  }
  return '{"constructor":{"prototype":{"polluted":true}},"__proto__":{"polluted":true}}';
}

/** Returns the text of a hostile object key, with quotes. */
export function hostileKey(random: Random): string {
  const key = random.pick(KEYS);
  return random.chance(0.1) ? escapeSome(key, random) : JSON.stringify(key);
}

/** Returns a string literal in which some characters are written as escapes. */
export function escapeSome(text: string, random: Random): string {
  const escaped = Array.from({ length: text.length }, (_, at) =>
    random.chance(0.3)
      ? `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`
      : JSON.stringify(text[at]).slice(1, -1),
  );
  return `"${escaped.join("")}"`;
}

/** Joins members to the text of an object. Sometimes adds white space. */
export function toObject(members: readonly Member[], random: Random): string {
  const space = random.chance(0.05) ? random.pick([" ", "\t", "  ", " \t "]) : "";
  const parts = members.map(([name, value]) => `${space}${name}${space}:${space}${value}${space}`);
  return `{${parts.join(",")}}`;
}
