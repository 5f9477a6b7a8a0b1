import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeUtf8, encodeUtf8, exceedsUtf8 } from "../src/utf8.js";

/** Any text that UTF-8 can encode: all code points, no lone surrogates. */
const anyText = fc.string({ unit: "binary" });

describe("UTF-8", () => {
  test("decodes what it encoded", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeUtf8(encodeUtf8(text))).toBe(text);
      }),
    );
  });

  test("a byte order mark is a character like any other, so two texts never have the same bytes", () => {
    expect(decodeUtf8(encodeUtf8("\u{feff}abc"))).toBe("\u{feff}abc");
  });

  test.each([
    ["a lone continuation byte", [0x80]],
    ["a truncated sequence", [0xe4, 0xb8]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a code point after the last", [0xf4, 0x90, 0x80, 0x80]],
    ["a byte that never occurs in UTF-8", [0x61, 0xff]],
  ])("%s does not decode", (_case, bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
  });

  test("a failure does not affect the next text", () => {
    expect(decodeUtf8(Uint8Array.of(0xe4, 0xb8))).toBeUndefined();
    expect(decodeUtf8(encodeUtf8("plain"))).toBe("plain");
  });
});

describe("exceedsUtf8", () => {
  test.each([
    ["", 0, false],
    ["a", 0, true],
    ["abc", 3, false],
    ["abcd", 3, true],
    ["é", 2, false],
    ["é", 1, true],
    ["世界", 6, false],
    ["世界", 5, true],
    ["😀", 4, false],
    ["😀", 3, true],
    ["abc", 9, false],
  ])("%j against %i bytes: %s", (text, limit, expected) => {
    expect(exceedsUtf8(text, limit)).toBe(expected);
  });

  test("agrees with the length of the bytes, including lone surrogates", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "世", "😀", "\u{d800}") }),
        fc.nat(60),
        (text, limit) => {
          expect(exceedsUtf8(text, limit)).toBe(Buffer.byteLength(text, "utf8") > limit);
        },
      ),
    );
  });
});
