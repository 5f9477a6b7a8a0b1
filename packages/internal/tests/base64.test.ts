import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from "../src/base64.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=";

const CODECS = [
  { name: "base64", encode: toBase64, decode: fromBase64, node: "base64" },
  { name: "base64url", encode: toBase64Url, decode: fromBase64Url, node: "base64url" },
] as const;

describe.each(CODECS)("$name", ({ encode, decode, node }) => {
  test("bytes come back as they went", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decode(encode(bytes))).toEqual(bytes);
      }),
    );
  });

  test("it is spelled as Node spells it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(encode(bytes)).toBe(Buffer.from(bytes).toString(node));
      }),
    );
  });

  test("whatever decodes encodes back to the same text", () => {
    const text = fc.string({ unit: fc.constantFrom(...ALPHABET.split("")), maxLength: 12 });
    fc.assert(
      fc.property(text, (candidate) => {
        const bytes = decode(candidate);
        if (bytes !== undefined) expect(encode(bytes)).toBe(candidate);
      }),
      { numRuns: 2000 },
    );
  });

  test("one changed character gives no bytes or other bytes", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.constantFrom(...ALPHABET.split("")),
        (bytes, position, character) => {
          const text = encode(bytes);
          const at = position % text.length;
          fc.pre(text.charAt(at) !== character);
          expect(decode(text.slice(0, at) + character + text.slice(at + 1))).not.toEqual(bytes);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("a megabyte is encoded in pieces and comes back whole", () => {
    const bytes = Uint8Array.from({ length: 1024 * 1024 + 1 }, (_, index) => index % 251);
    expect(Buffer.from(decode(encode(bytes)) ?? []).equals(bytes)).toBe(true);
  });

  test("no bytes are the empty text", () => {
    expect(encode(new Uint8Array())).toBe("");
    expect(decode("")).toEqual(new Uint8Array());
  });
});

describe("padded base64", () => {
  test.each([
    ["without its padding", "TQ"],
    ["with half its padding", "TQ="],
    ["with padding too much", "TWFu===="],
    ["with padding in the middle", "TQ==TQ=="],
    ["of padding alone", "===="],
    ["with bits set behind its last byte", "TR=="],
    ["with bits set behind its last two bytes", "TWF="],
    ["in the alphabet of URLs", "-_-_"],
    ["with a space", "TW u"],
    ["with a line break at its end", "TWF\n"],
    ["with a letter outside ASCII", "TWFü"],
  ])("text %s does not decode", (_case, text) => {
    expect(fromBase64(text)).toBeUndefined();
  });
});

describe("base64url", () => {
  test.each([
    ["with padding", "TQ=="],
    ["in the standard alphabet", "+/+/"],
    ["of an impossible length", "TWFuT"],
    ["with bits set behind its last byte", "TR"],
    ["with bits set behind its last two bytes", "TWF"],
    ["with a line break", "TW\nu"],
  ])("text %s does not decode", (_case, text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });

  test("has nothing in it that a URL would escape", () => {
    expect(toBase64Url(Uint8Array.of(0xfb, 0xff, 0xfe, 0xff))).toBe("-__-_w");
  });
});
