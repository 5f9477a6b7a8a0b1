import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fromBase64, fromBase64Url, toBase64, toBase64Url } from "../src/base64.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=";

const CODECS = [
  { name: "base64", encode: toBase64, decode: fromBase64, node: "base64" },
  { name: "base64url", encode: toBase64Url, decode: fromBase64Url, node: "base64url" },
] as const;

const NodeBuffer = Buffer;

const RUNTIMES = [
  { runtime: "with Buffer", buffer: NodeBuffer },
  { runtime: "without Buffer", buffer: undefined },
] as const;

const CASES = RUNTIMES.flatMap((runtime) => CODECS.map((codec) => ({ ...runtime, ...codec })));

describe.each(CASES)("$name $runtime", ({ encode, decode, node, buffer }) => {
  useBuffer(buffer);

  test("decodes what it encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decode(encode(bytes))).toEqual(bytes);
      }),
    );
  });

  test("encodes as Node does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(encode(bytes)).toBe(NodeBuffer.from(bytes).toString(node));
      }),
    );
  });

  test("encodes decoded text back to the same text", () => {
    const text = fc.string({ unit: fc.constantFrom(...ALPHABET.split("")), maxLength: 12 });
    fc.assert(
      fc.property(text, (candidate) => {
        const bytes = decode(candidate);
        if (bytes !== undefined) expect(encode(bytes)).toBe(candidate);
      }),
      { numRuns: 2000 },
    );
  });

  test("a changed character gives undefined or other bytes", () => {
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

  test("a megabyte survives encoding in chunks", () => {
    const bytes = Uint8Array.from({ length: 1024 * 1024 + 1 }, (_, index) => index % 251);
    expect(NodeBuffer.from(decode(encode(bytes)) ?? []).equals(bytes)).toBe(true);
  });

  test("no bytes encode to the empty string", () => {
    expect(encode(new Uint8Array())).toBe("");
    expect(decode("")).toEqual(new Uint8Array());
  });
});

describe.each(RUNTIMES)("padded base64 $runtime", ({ buffer }) => {
  useBuffer(buffer);

  test.each([
    ["without its padding", "TQ"],
    ["with half its padding", "TQ="],
    ["with too much padding", "TWFu===="],
    ["with padding in the middle", "TQ==TQ=="],
    ["of padding only", "===="],
    ["with bits set after its last byte", "TR=="],
    ["with bits set after its last two bytes", "TWF="],
    ["in the URL alphabet", "-_-_"],
    ["with a space", "TW u"],
    ["with a line break at the end", "TWF\n"],
    ["with a non-ASCII letter", "TWFü"],
  ])("text %s does not decode", (_case, text) => {
    expect(fromBase64(text)).toBeUndefined();
  });
});

describe.each(RUNTIMES)("base64url $runtime", ({ buffer }) => {
  useBuffer(buffer);

  test.each([
    ["with padding", "TQ=="],
    ["in the standard alphabet", "+/+/"],
    ["of an impossible length", "TWFuT"],
    ["with bits set after its last byte", "TR"],
    ["with bits set after its last two bytes", "TWF"],
    ["with a line break", "TW\nu"],
  ])("text %s does not decode", (_case, text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });

  test("contains no characters that a URL would escape", () => {
    expect(toBase64Url(Uint8Array.of(0xfb, 0xff, 0xfe, 0xff))).toBe("-__-_w");
  });
});

/** Sets the `Buffer` of the runtime for the tests of a group. */
function useBuffer(buffer: typeof NodeBuffer | undefined): void {
  beforeEach(() => void vi.stubGlobal("Buffer", buffer));
  afterEach(() => void vi.unstubAllGlobals());
}
