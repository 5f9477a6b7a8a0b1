import { describe, expect, test } from "vitest";
import { EventReader, type ServerEvent } from "../src/event-stream.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Feeds a piece of text repeatedly, and returns all events. */
function feed(reader: EventReader, piece: string, times = 1): readonly ServerEvent[] {
  const bytes = bytesOf(piece);
  return Array.from({ length: times }, () => [...reader.feed(bytes)]).flat();
}

describe("an event that arrives in many pieces", () => {
  test.each([
    ["single characters of a line", "x", 1],
    ["empty data lines", "data\n", 1],
    ["short data lines", "data:x\n", 2],
    ["wide characters", "data:ж\n", 3],
  ])("takes about as much memory as its bytes: %s", (_title, piece, bytes) => {
    const reader = new EventReader(1_000_000);
    feed(reader, piece, 20_000);
    expect(reader.heldBytes).toBeGreaterThanOrEqual(bytes * 20_000 - 1);
    expect(reader.heldBytes).toBeLessThan(2 * bytes * 20_000);
    expect(() => feed(reader, piece.repeat(100_000), 11)).toThrow(
      "The stream contains an event that is too long (limit: 1000000 bytes).",
    );
  });

  test("has the same limit whether it arrives in one chunk or in many", () => {
    const event = `data: ${"x".repeat(994)}\ndata: y\n\n`;
    for (const size of [1, 7, 1_000, 2_000]) {
      const pieces = event.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const read = (maxBytes: number) => {
        const reader = new EventReader(maxBytes);
        return pieces.flatMap((piece) => feed(reader, piece));
      };
      expect(read(1_007)).toHaveLength(1);
      expect(() => read(990)).toThrow("too long");
    }
  });

  test("is forgotten at its end", () => {
    const reader = new EventReader(100_000);
    for (let event = 0; event < 100; event++) {
      feed(reader, "data:x\n", 2_000);
      expect(feed(reader, "\n")).toHaveLength(1);
    }
    expect(reader.heldBytes).toBe(0);
  });
});

test("a byte order mark is ignored only at the beginning of the stream", () => {
  const mark = "\u{feff}";
  const events = feed(new EventReader(1_000), `${mark}data: ${mark}a\n\n${mark}data: b\n\ndata:c\n\n`);
  expect(events.map(({ data }) => data)).toEqual([`${mark}a`, "c"]);
});

test("characters that are split between chunks arrive whole, and invalid bytes are replaced", () => {
  const reader = new EventReader(1_000);
  const bytes = [...bytesOf("data: жж€😀\n"), ...bytesOf("data: "), 0xff, ...bytesOf("\r\n\r\n")];
  const events = bytes.flatMap((byte) => [...reader.feed(Uint8Array.of(byte))]);
  expect(events).toEqual([{ data: "жж€😀\n\ufffd", id: undefined, retryMs: undefined }]);
});

test("a chunk of line breaks of one kind is searched only once", () => {
  const reader = new EventReader(1_000);
  const chunk = bytesOf("\r".repeat(4_000_000));
  expect([...reader.feed(chunk)]).toEqual([]);
  expect([...reader.feed(bytesOf("data: a\r\r"))].map(({ data }) => data)).toEqual(["a"]);
});
