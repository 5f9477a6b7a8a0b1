import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineMessage } from "../../src/messages/define-message.js";
import { createFrameEncoder } from "../../src/messages/frames.js";
import { ValidationError } from "../../src/shared/errors.js";

const note = defineMessage({
  type: "note",
  dataSchema: z.object({
    text: z.string().max(5),
    at: z.iso.datetime().optional(),
    loud: z.boolean().default(false),
  }),
});
const slow = defineMessage({
  type: "slow",
  dataSchema: z.object({ a: z.string().refine(async () => true) }),
});
const encode = createFrameEncoder([note.schema, slow.schema]);
const textOf = (data: unknown, type = "note") => new TextDecoder().decode(encode({ type, data }));

describe("outgoing messages", () => {
  test("valid data is sent as it is", () => {
    expect(textOf({ text: "hi", extra: 1 })).toBe('{"type":"note","data":{"text":"hi","extra":1}}');
  });

  test("the JSON form is validated, because clients receive it", () => {
    const at = new Date(0);
    expect(textOf({ text: "hi", at, loud: undefined })).toContain('"at":"1970-01-01T00:00:00.000Z"');
  });

  test.each<[unknown, string]>([
    [{ text: 1 }, "text: Invalid input: expected string, received number"],
    [{ text: "too long" }, "text: Too big: expected string to have <=5 characters"],
    [undefined, "Invalid input: expected object, received undefined"],
  ])("data %j is rejected", (data, problem) => {
    let caught: unknown;
    try {
      encode({ type: "note", data });
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ValidationError);
    expect((caught as Error).message).toBe(`Message 'note' data validation failed: ${problem}`);
  });

  test("a type that is not registered is rejected", () => {
    expect(() => textOf({}, "other")).toThrow(
      "Message type 'other' is not registered. Register it with `registerMessage`.",
    );
  });

  test("a message with an asynchronous schema cannot be sent", () => {
    expect(() => textOf({ a: "x" }, "slow")).toThrow(
      "Message 'slow' data validation failed: The schema is asynchronous, so the server cannot send the message",
    );
  });

  test("at most ten issues are listed", () => {
    const list = defineMessage({ type: "list", dataSchema: z.object({ items: z.array(z.string()) }) });
    const send = createFrameEncoder([list.schema]);
    const items = Array.from({ length: 30 }, () => 1);
    expect(() => send({ type: "list", data: { items } })).toThrow(/; and 20 more$/);
  });
});
