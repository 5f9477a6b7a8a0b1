import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameSplitter } from "../../src/transport/stdio/frames.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (frame: string | Uint8Array) =>
  typeof frame === "string" ? frame : Buffer.from(frame).toString("latin1");

/** Returns the frames in a stream that arrives in these chunks. `null` stands for a frame that is too long. */
function framesOf(chunks: readonly Uint8Array[], maxBytes = 1_000): (string | null)[] {
  const splitter = new FrameSplitter(maxBytes);
  const frames: (string | null)[] = [];
  const take = (frame: string | Uint8Array) => frames.push(frame.length > maxBytes ? null : textOf(frame));
  for (const chunk of chunks) {
    splitter.push(chunk);
    for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) take(frame);
  }
  const last = splitter.last();
  if (last !== undefined) take(last);
  return frames;
}

/** Splits bytes into chunks at these positions. */
function cut(stream: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (stream.length + 1)))].sort((a, b) => a - b);
  return [...ends, stream.length].map((end, index) => stream.subarray(ends[index - 1] ?? 0, end));
}

describe("splitting bytes into lines", () => {
  test.each([
    ["one line", ["a\n"], ["a"]],
    ["many in one chunk", ["a\nb\nc\n"], ["a", "b", "c"]],
    ["one in many chunks", ["a", "b", "c\n"], ["abc"]],
    ["a newline in its own chunk", ["a", "\n", "b", "\n"], ["a", "b"]],
    ["a return before the newline", ["a\r\nb\r", "\n"], ["a", "b"]],
    ["a carriage return inside a line", ["a\rb\n"], ["a\rb"]],
    ["blank lines", ["\n\r\n \t\r\n", "\n", "a\n\n", " ", "\n"], ["a"]],
    ["no newline at the end", ["a\nb"], ["a", "b"]],
    ["a return at the end", ["a\r"], ["a"]],
    ["nothing", ["", ""], []],
  ])("%s", (_, chunks, frames) => {
    expect(framesOf(chunks.map(bytes))).toEqual(frames);
  });

  test.each([
    ["of the maximum length", ["1234\n"], ["1234"]],
    ["of the maximum length, and a carriage return", ["1234\r\n", "12", "34\r", "\n"], ["1234", "1234"]],
    ["one byte too long", ["12345\na\n"], [null, "a"]],
    ["one byte too long, in several chunks", ["123", "45", "\na\n"], [null, "a"]],
    ["far too long, in several chunks", ["123", "456", "789", "0\na\n"], [null, "a"]],
    ["too long after a carriage return", ["123", "4\r5\na\n"], [null, "a"]],
    ["blank but too long", ["       \na\n", "    ", "   ", "\nb\n"], [null, "a", null, "b"]],
    ["without a newline", ["123", "456", "789"], [null]],
  ])("a line %s", (_, chunks, frames) => {
    expect(framesOf(chunks.map(bytes), 4)).toEqual(frames);
  });

  test("a line is reported as soon as it exceeds the limit, and the rest of it is not kept", () => {
    const splitter = new FrameSplitter(10);
    splitter.push(bytes("0123456789"));
    expect(splitter.next()).toBeUndefined();
    splitter.push(bytes("0123456789"));
    expect(splitter.next()?.length).toBe(11);
    for (let round = 0; round < 1_000; round += 1) {
      splitter.push(bytes("0123456789"));
      expect(splitter.next()).toBeUndefined();
    }
    splitter.push(bytes("\nnext\n"));
    expect(textOf(splitter.next() ?? bytes(""))).toBe("next");
  });

  test("ASCII lines are text, and lines in other chunks are views without copies", () => {
    const splitter = new FrameSplitter(10);
    splitter.push(bytes("abc\n"));
    expect(splitter.next()).toBe("abc");
    expect(splitter.next()).toBeUndefined();
    const chunk = bytes("äbc\ndef\n");
    splitter.push(chunk);
    for (const line of [splitter.next(), splitter.next()]) {
      expect(line instanceof Uint8Array && line.buffer === chunk.buffer).toBe(true);
    }
  });

  test("frames are the same regardless of how the stream is split", () => {
    const piece = fc.constantFrom("\n", "\r\n", "\r", " ", "a", "é", "漢", "😀", "{}", "0123456789");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.array(fc.nat()),
        fc.nat(30),
        (pieces, places, max) => {
          const stream = bytes(pieces.join(""));
          const whole = framesOf([stream], max);
          expect(framesOf(cut(stream, places), max)).toEqual(whole);
          expect(
            framesOf(
              Array.from(stream, (byte) => Uint8Array.of(byte)),
              max,
            ),
          ).toEqual(whole);
        },
      ),
    );
  });
});
