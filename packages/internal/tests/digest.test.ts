import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fingerprint } from "../src/digest.js";

describe("fingerprint", () => {
  test.each([
    ["", "wvjl67o803"],
    ["a", "262p94epp1d"],
    ["tools/list", "cb8ocvyp8q"],
  ])("of %j is the same in every release", (text, expected) => {
    expect(fingerprint(text)).toBe(expected);
  });

  test("is short, in base 36, and at most 53 bits", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const print = fingerprint(text);
        expect(print).toMatch(/^[0-9a-z]{1,11}$/);
        expect(Number.parseInt(print, 36)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
      }),
    );
  });

  test("changes with any character", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(), (text, position) => {
        const at = position % text.length;
        const other = String.fromCharCode(text.charCodeAt(at) ^ 1);
        expect(fingerprint(text.slice(0, at) + other + text.slice(at + 1))).not.toBe(fingerprint(text));
      }),
    );
  });

  test("does not collide among twenty thousand similar texts", () => {
    const prints = Array.from({ length: 20_000 }, (_, index) => fingerprint(`tool-${index}`));
    expect(new Set(prints).size).toBe(prints.length);
  });
});
