import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ThinkSplitter } from "../../src/conversation/answer/think-splitter.js";

function split(pieces: readonly string[]): { readonly thought: string; readonly text: string } {
  const splitter = new ThinkSplitter();
  const parts = [...pieces.flatMap((piece) => splitter.feed(piece)), ...splitter.finish()];
  const join = (isThought: boolean) =>
    parts
      .filter((part) => part.isThought === isThought)
      .map(({ text }) => text)
      .join("");
  return { thought: join(true), text: join(false) };
}

describe("reasoning at the beginning of a response", () => {
  test.each([
    ["plain text", "Hello", "", "Hello"],
    ["reasoning", "<think>hm</think>Hello", "hm", "Hello"],
    ["reasoning after whitespace", "\n <think>hm</think>\nHello", "hm", "\nHello"],
    ["unclosed reasoning", "<think>hm, well", "hm, well", ""],
    ["empty reasoning", "<think></think>Hello", "", "Hello"],
    ["reasoning with tags in it", "<think>a <b> </thin> c</think>Hello", "a <b> </thin> c", "Hello"],
    ["reasoning in the middle, which is text", "So <think>hm</think>", "", "So <think>hm</think>"],
    ["a second section, which is text", "<think>a</think><think>b</think>", "a", "<think>b</think>"],
    ["an incomplete tag", "<thi", "", "<thi"],
    ["empty text", "", "", ""],
  ])("%s", (_kind, whole, thought, text) => {
    expect(split([whole])).toEqual({ thought, text });
    expect(split(whole.split(""))).toEqual({ thought, text });
  });

  test("the result does not depend on how the text is split, and nothing is lost", () => {
    const words = fc.array(fc.constantFrom("<think>", "</think>", "<", "</th", "hm", " ", "\n", "x"));
    fc.assert(
      fc.property(words, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), (parts, sizes) => {
        const whole = parts.join("");
        const pieces: string[] = [];
        for (let at = 0; at < whole.length;) {
          const size = sizes.next().value as number;
          pieces.push(whole.slice(at, at + size));
          at += size;
        }
        expect(split(pieces)).toEqual(split([whole]));
      }),
      { numRuns: 1_000 },
    );
  });

  test("text and reasoning are not held back longer than necessary", () => {
    const splitter = new ThinkSplitter();
    expect(splitter.feed("<think>a")).toEqual([{ isThought: true, text: "a" }]);
    expect(splitter.feed("b</")).toEqual([{ isThought: true, text: "b" }]);
    expect(splitter.feed("think>c")).toEqual([{ isThought: false, text: "c" }]);
    expect(splitter.feed("<think>")).toEqual([{ isThought: false, text: "<think>" }]);
  });
});
