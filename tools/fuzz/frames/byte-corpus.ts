/**
 * @fileoverview JSON documents that text cannot express: bytes that are not UTF-8, other encodings, byte order marks, and
 * documents at the limits of the server. Each character stands for one byte.
 * @module tools/fuzz/frames/byte-corpus
 */

/** Document: its name, the verdict of RFC 8259 with strict UTF-8, and its bytes. */
export type ByteCase = readonly [name: string, verdict: "accept" | "reject" | "either", bytes: string];

const HALF = '"\\ud800"';

/** Documents, by kind. */
export const BYTE_CORPUS: readonly ByteCase[] = [
  // Valid UTF-8 of every length, at the ends of its ranges.
  ["the last character with one byte", "accept", '"\x7f"'],
  ["the first character with two bytes", "accept", '"\xc2\x80"'],
  ["the last character with two bytes", "accept", '"\xdf\xbf"'],
  ["the first character with three bytes", "accept", '"\xe0\xa0\x80"'],
  ["the last character before the surrogates", "accept", '"\xed\x9f\xbf"'],
  ["the first character after the surrogates", "accept", '"\xee\x80\x80"'],
  ["the replacement character", "accept", '"\xef\xbf\xbd"'],
  ["a noncharacter with three bytes", "accept", '"\xef\xbf\xbf"'],
  ["the first character with four bytes", "accept", '"\xf0\x90\x80\x80"'],
  ["the last character of Unicode", "accept", '"\xf4\x8f\xbf\xbf"'],
  ["a byte order mark inside a string", "accept", '"\xef\xbb\xbf"'],
  ["a next-line character inside a string", "accept", '"\xc2\x85"'],
  ["a line separator inside a string", "accept", '"\xe2\x80\xa8"'],
  ["a paragraph separator inside a string", "accept", '"\xe2\x80\xa9"'],
  ["a key with four bytes per character", "accept", '{"\xf0\x9f\x98\x80":1}'],
  ["two keys that look the same in different forms", "accept", '{"\xc3\xa9":1,"e\xcc\x81":2}'],

  // Bytes that never occur in UTF-8, or not there.
  ["a continuation byte alone", "reject", '"\x80"'],
  ["the last continuation byte alone", "reject", '"\xbf"'],
  ["two continuation bytes alone", "reject", '"\x80\xbf"'],
  ["a two-byte character without its second byte", "reject", '"\xc3"'],
  ["a three-byte character without its third byte", "reject", '"\xe2\x82"'],
  ["a four-byte character without its fourth byte", "reject", '"\xf0\x9f\x98"'],
  ["a two-byte start before a letter", "reject", '"\xc3a"'],
  ["a three-byte start before a two-byte start", "reject", '"\xe2\xc3\xa9"'],
  ["a five-byte character", "reject", '"\xf8\x88\x80\x80\x80"'],
  ["a six-byte character", "reject", '"\xfc\x84\x80\x80\x80\x80"'],
  ["byte 0xfe", "reject", '"\xfe"'],
  ["byte 0xff", "reject", '"\xff"'],
  ["bytes 0xff and 0xfe", "reject", '"\xff\xfe"'],
  ["a character beyond Unicode", "reject", '"\xf4\x90\x80\x80"'],
  ["the first byte beyond Unicode", "reject", '"\xf5\x80\x80\x80"'],
  ["Latin-1 text", "reject", '"caf\xe9"'],
  ["Windows-1252 quotes", "reject", "\x93a\x94"],
  ["Shift JIS text", "reject", '"\x83e\x83X\x83g"'],
  ["a malformed byte in a key", "reject", '{"\xff":1}'],
  ["a malformed byte between tokens", "reject", "[1,\xff2]"],
  ["a malformed byte after the document", "reject", "{}\xff"],
  ["a malformed byte before the document", "reject", "\xff{}"],
  ["a malformed byte in an escape", "reject", '"\\u00\xff0"'],
  ["a malformed byte after a backslash", "reject", '"\\\xff"'],

  // Overlong encodings.
  ["an overlong NUL", "reject", '"\xc0\x80"'],
  ["an overlong slash with two bytes", "reject", '"\xc0\xaf"'],
  ["an overlong slash with three bytes", "reject", '"\xe0\x80\xaf"'],
  ["an overlong slash with four bytes", "reject", '"\xf0\x80\x80\xaf"'],
  ["an overlong slash with five bytes", "reject", '"\xf8\x80\x80\x80\xaf"'],
  ["an overlong quote", "reject", '"a\xc0\xa2,"b"'],
  ["an overlong brace", "reject", "\xc1\xbb}"],
  ["the largest overlong character with two bytes", "reject", '"\xc1\xbf"'],
  ["the largest overlong character with three bytes", "reject", '"\xe0\x9f\xbf"'],
  ["the largest overlong character with four bytes", "reject", '"\xf0\x8f\xbf\xbf"'],

  // Surrogates.
  ["a high surrogate as bytes", "reject", '"\xed\xa0\x80"'],
  ["a low surrogate as bytes", "reject", '"\xed\xb0\x80"'],
  ["the last surrogate as bytes", "reject", '"\xed\xbf\xbf"'],
  ["a pair of surrogates as bytes", "reject", '"\xed\xa0\xbd\xed\xb8\x80"'],
  ["a high surrogate as an escape", "either", HALF],
  ["a low surrogate as an escape", "either", '"\\udc00"'],
  ["a reversed pair as escapes", "either", '"\\udc00\\ud800"'],
  ["two high surrogates as escapes", "either", '"\\ud800\\ud800"'],
  ["a pair of surrogates as escapes", "accept", '"\\ud83d\\ude00"'],
  ["a high surrogate before a letter", "either", '"\\ud800a"'],
  ["an incomplete escape after a high surrogate", "reject", '"\\ud800\\u12"'],

  // Other encodings and byte order marks.
  ["a byte order mark before the document", "reject", "\xef\xbb\xbf{}"],
  ["two byte order marks", "reject", "\xef\xbb\xbf\xef\xbb\xbf{}"],
  ["only a byte order mark", "reject", "\xef\xbb\xbf"],
  ["a byte order mark after the document", "reject", "{}\xef\xbb\xbf"],
  ["UTF-16 with a little-endian mark", "reject", "\xff\xfe{\x00}\x00"],
  ["UTF-16 with a big-endian mark", "reject", "\xfe\xff\x00{\x00}"],
  ["little-endian UTF-16 without a mark", "reject", "{\x00}\x00"],
  ["big-endian UTF-16 without a mark", "reject", "\x00{\x00}"],
  ["little-endian UTF-32 without a mark", "reject", "{\x00\x00\x00}\x00\x00\x00"],
  ["UTF-32 with a mark", "reject", "\xff\xfe\x00\x00{\x00\x00\x00}\x00\x00\x00"],
  ["UTF-7", "reject", "+AHsAfQ-"],

  // Control characters.
  ["a NUL after the document", "reject", "{}\x00"],
  ["a NUL before the document", "reject", "\x00{}"],
  ["a NUL inside a string", "reject", '"\x00"'],
  ["a NUL between tokens", "reject", "[1,\x002]"],
  ["a NUL as an escape", "accept", '"\\u0000"'],
  ["a tab inside a string", "reject", '"\t"'],
  ["a carriage return inside a string", "reject", '"a\rb"'],
  ["an escape character inside a string", "reject", '"\x1b[0m"'],
  ["a unit separator inside a string", "reject", '"\x1f"'],
  ["a delete character between tokens", "reject", "[1,\x7f2]"],
  ["a vertical tab between tokens", "reject", "[1,\x0b2]"],
  ["a form feed between tokens", "reject", "[1,\x0c2]"],
  ["a no-break space between tokens", "reject", "[1,\xc2\xa02]"],
  ["an ideographic space between tokens", "reject", "[1,\xe3\x80\x802]"],
  ["a zero-width space between tokens", "reject", "[1,\xe2\x80\x8b2]"],
  ["a line separator between tokens", "reject", "[1,\xe2\x80\xa82]"],
  ["full-width digits", "reject", "[\xef\xbc\x91]"],
  ["Arabic digits", "reject", "[\xd9\xa1]"],
  ["a minus sign that is not ASCII", "reject", "[\xe2\x88\x921]"],

  // Limits of the server: depth 64 and 25,000 values.
  ["arrays at the maximum depth", "accept", "[".repeat(64) + "]".repeat(64)],
  ["arrays below the maximum depth", "reject", "[".repeat(65) + "]".repeat(65)],
  ["objects at the maximum depth", "accept", '{"a":'.repeat(63) + "{}" + "}".repeat(63)],
  ["objects below the maximum depth", "reject", '{"a":'.repeat(64) + "{}" + "}".repeat(64)],
  ["100,000 open arrays", "reject", "[".repeat(100_000)],
  ["100,000 open objects", "reject", '{"a":'.repeat(100_000)],
  ["brackets inside a string", "accept", `"${"[".repeat(1_000)}"`],
  ["brackets after an escaped quote", "accept", `"\\"${"[".repeat(1_000)}"`],
  ["the maximum number of values", "accept", `[${"1,".repeat(24_998)}1]`],
  ["one value too many", "reject", `[${"1,".repeat(25_000)}1]`],
  ["many empty arrays", "accept", `[${"[],".repeat(10_000)}[]]`],
  ["a long number", "accept", "9".repeat(10_000)],
  ["a long fraction", "accept", `0.${"0".repeat(10_000)}1`],
  ["a long exponent", "accept", `1e${"0".repeat(10_000)}1`],
  ["a long key", "accept", `{"${"k".repeat(100_000)}":1}`],

  // Keys.
  ["a duplicate key", "accept", '{"a":1,"a":2}'],
  ["a duplicate key with an escape", "accept", '{"a":1,"\\u0061":2}'],
  ["a key that names the prototype", "accept", '{"__proto__":{"polluted":true}}'],
  ["the prototype's name with an escape", "accept", '{"\\u005f\\u005fproto__":{"polluted":true}}'],
  ["a constructor with a prototype", "accept", '{"constructor":{"prototype":{"polluted":true}}}'],
  [
    "names of inherited functions",
    "accept",
    '{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4,"then":5}',
  ],
];
