import { describe, expect, test } from "vitest";
import { EventReader } from "../src/event-stream.js";

describe("an event that arrives in many pieces", () => {
  const feedAll = (reader: EventReader, piece: string, times: number) => {
    for (let time = 0; time < times; time++)
      for (const event of reader.feed(piece)) expect(event).toBeDefined();
  };

  test.each([
    ["single characters of a line", "x"],
    ["empty data lines", "data\n"],
    ["short data lines", "data:x\n"],
  ])("counts more than its characters: %s", (_title, piece) => {
    // Each piece takes about 32 bytes, so 100,000 of them take more than three megabytes.
    expect(() => feedAll(new EventReader(1_000_000), piece, 100_000)).toThrow(
      "The stream contains an event that is too long (limit: 1000000 characters).",
    );
  });

  test("counts only its characters if there are few of them", () => {
    const reader = new EventReader(2_000);
    feedAll(reader, "data:x\n", 500);
    expect(reader.heldChars).toBe(999);
    expect([...reader.feed("\n")]).toHaveLength(1);
    expect(reader.heldChars).toBe(0);
  });

  test("is forgotten at its end", () => {
    const reader = new EventReader(100_000);
    for (let event = 0; event < 100; event++) {
      feedAll(reader, "data:x\n", 2_000);
      expect([...reader.feed("\n")]).toHaveLength(1);
    }
    expect(reader.heldChars).toBe(0);
  });
});
