import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineMessage, type MessageDefinition, parseMessageData } from "../src/messages/define-message.js";
import { RegistrationError, ValidationError } from "../src/shared/errors.js";
import { MessageRegistry } from "../src/messages/message-registry.js";

const note = defineMessage({ type: "note", dataSchema: z.object({ text: z.string() }) });
const alarm = defineMessage({
  type: "alarm",
  dataSchema: z.object({ level: z.enum(["low", "high"]) }),
  handler: () => {},
});
const register = (message: unknown) => () => new MessageRegistry().register(message as MessageDefinition);

describe("a message", () => {
  test("A10, A11, A17: has a schema of type and data, and its handler", () => {
    expect(note.schema.parse({ type: "note", data: { text: "a" } })).toEqual({
      type: "note",
      data: { text: "a" },
    });
    expect(note.schema.safeParse({ type: "other", data: { text: "a" } }).success).toBe(false);
    expect(Object.keys(note)).toEqual(["type", "schema"]);
    expect(alarm.handler).toBeTypeOf("function");
  });

  test("A23, A36: invalid data is rejected with a message", () => {
    expect(parseMessageData(alarm, { level: "low" })).toEqual({ level: "low" });
    const parse = () => parseMessageData(note, { text: 1 });
    expect(parse).toThrow(ValidationError);
    expect(parse).toThrow(
      "Message 'note' data validation failed: text: Invalid input: expected string, received number",
    );
  });
});

describe("the message registry", () => {
  test("A13, A30: returns the exact definitions and their schemas, in order", () => {
    const registry = new MessageRegistry().register(note).register(alarm);
    expect(registry.get("note")).toBe(note);
    expect(registry.getAll()).toEqual([note, alarm]);
    expect(registry.getAllSchemas()).toEqual([note.schema, alarm.schema]);
    expect(registry.getAllSchemas()[0]).toBe(note.schema);
    expect([registry.has("alarm"), registry.has("nobody"), registry.size]).toEqual([true, false, 2]);
    expect(registry.get("nobody")).toBeUndefined();
  });

  test("A13: its schemas form a discriminated union", () => {
    const union = z.discriminatedUnion("type", [
      note.schema,
      ...new MessageRegistry().register(alarm).getAllSchemas(),
    ]);
    expect(union.parse({ type: "alarm", data: { level: "high" } })).toEqual({
      type: "alarm",
      data: { level: "high" },
    });
    expect(union.safeParse({ type: "alarm", data: { text: "a" } }).success).toBe(false);
  });

  test("A25, A34: rejects a type that is already registered", () => {
    const registry = new MessageRegistry().register(note);
    expect(() => registry.register(note)).toThrow(
      new RegistrationError("Message type 'note' is already registered"),
    );
    expect(registry.size).toBe(1);
  });

  test("a copy has the same definitions and is independent", () => {
    const registry = new MessageRegistry().register(note);
    const copy = registry.copy();
    registry.register(alarm);
    expect(copy.getAll()).toEqual([note]);
    expect(copy.get("note")).toBe(note);
  });

  test.each([
    [{ schema: note.schema }, "Message definition is invalid: `type` is missing."],
    [{ type: "note" }, "Message definition 'note' is invalid: `dataSchema` is missing."],
    [
      defineMessage({ type: "note", dataSchema: undefined as never }),
      "Message definition 'note' is invalid: `dataSchema` is missing.",
    ],
    [
      defineMessage({ type: "note", dataSchema: z.string() as never }),
      "Message definition 'note' is invalid: `dataSchema` must be a `z.object({ … })`; got z.string().",
    ],
    [
      defineMessage({ type: undefined as never, dataSchema: z.object({}) }),
      "Message definition is invalid: `type` is missing.",
    ],
    [{}, "Message definition is invalid: `type` is missing; `dataSchema` is missing."],
    [null, "Message definition is invalid: `type` is missing; `dataSchema` is missing."],
    [
      { ...note, type: "other" },
      'Message definition \'other\' is invalid: `schema.shape.type` must be the literal "other"; got "note".',
    ],
    [
      { ...note, handler: "x" },
      "Message definition 'note' is invalid: `handler` must be a function; got \"x\".",
    ],
  ])("A24: rejects %o", (message, text) => {
    expect(register(message)).toThrow(new RegistrationError(text));
  });
});
