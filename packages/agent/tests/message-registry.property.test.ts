import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineMessage, type MessageDefinition, parseMessageData } from "../src/messages/define-message.js";
import { RegistrationError, ValidationError } from "../src/shared/errors.js";
import { MessageRegistry } from "../src/messages/message-registry.js";

const RUNS = { numRuns: 200 };
const messageTypeArb = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]*$/);
const simpleZodSchemaArb: fc.Arbitrary<z.ZodObject> = fc.constantFrom(
  z.object({ query: z.string() }),
  z.object({ id: z.number() }),
  z.object({ enabled: z.boolean() }),
  z.object({ items: z.array(z.string()) }),
);
const messageArb = fc
  .record({ type: messageTypeArb, dataSchema: simpleZodSchemaArb })
  .map((message) => defineMessage<string, z.ZodObject>(message));
const messagesArb = fc.uniqueArray(messageArb, { maxLength: 8, selector: ({ type }) => type });
const dataArb = fc.oneof(
  fc.record(
    {
      query: fc.oneof(fc.string(), fc.integer()),
      id: fc.oneof(fc.integer(), fc.string()),
      enabled: fc.oneof(fc.boolean(), fc.string()),
      items: fc.oneof(fc.array(fc.string()), fc.array(fc.integer())),
    },
    { requiredKeys: [] },
  ),
  fc.anything(),
);

describe("A39, A41, A42: properties of messages", () => {
  /**
   * **Feature: server-sdk, Property 6: Message validation**
   * **Validates: Requirements 3.2, 3.3**
   */
  test("A23, A36: data is accepted or rejected according to its schema, with a clear message", () => {
    fc.assert(
      fc.property(messageArb, dataArb, (message, data) => {
        const expected = message.schema.shape.data.safeParse(data);
        try {
          expect(parseMessageData(message, data)).toEqual(expected.data);
          expect(expected.success).toBe(true);
        } catch (error) {
          expect(expected.success).toBe(false);
          if (!(error instanceof ValidationError)) throw error;
          expect(error.message.startsWith(`Message '${message.type}' data validation failed: `)).toBe(true);
          expect(error.details).toBeInstanceOf(z.ZodError);
          expect(error.details.issues).toEqual(expected.error?.issues);
        }
      }),
      { numRuns: 500 },
    );
  });

  /**
   * **Feature: server-sdk, Property 7: Message definition completeness**
   * **Validates: Requirements 3.5**
   */
  test("A24: a definition without a type or data schema is rejected, and the error names what is missing", () => {
    const nothingArb = fc.constantFrom(undefined, null, "", 0, {});
    fc.assert(
      fc.property(messageArb, nothingArb, (message, nothing) => {
        const registry = new MessageRegistry();
        const refuse = (wrong: object, missing: string) => {
          const register = () => registry.register(wrong as MessageDefinition);
          expect(register).toThrow(RegistrationError);
          expect(register).toThrow(missing);
        };
        const { type, schema } = message;
        refuse({ ...message, type: nothing }, "`type`");
        refuse({ schema }, "`type` is missing");
        refuse({ ...message, schema: nothing }, "`dataSchema`");
        refuse({ type }, "`dataSchema`");
        refuse(defineMessage({ type, dataSchema: nothing as never }), "`dataSchema`");
        expect(registry.size).toBe(0);
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 8: Duplicate message rejection**
   * **Validates: Requirements 3.4**
   */
  test("A25, A34: the second of two messages with the same type is rejected", () => {
    fc.assert(
      fc.property(messageTypeArb, simpleZodSchemaArb, simpleZodSchemaArb, (type, one, other) => {
        const first = defineMessage<string, z.ZodObject>({ type, dataSchema: one });
        const registry = new MessageRegistry().register(first);
        expect(() => registry.register(defineMessage({ type, dataSchema: other }))).toThrow(
          new RegistrationError(`Message type '${type}' is already registered`),
        );
        expect(registry.get(type)).toBe(first);
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 11: Registry accumulation**
   * **Validates: Requirements 4.4**
   */
  test("A28: M registered messages result in exactly M, each with its schema", () => {
    fc.assert(
      fc.property(messagesArb, (messages) => {
        const registry = new MessageRegistry();
        for (const message of messages) registry.register(message);
        expect(registry.size).toBe(messages.length);
        expect(registry.getAll()).toEqual(messages);
        expect(registry.getAllSchemas()).toEqual(messages.map(({ schema }) => schema));
      }),
      RUNS,
    );
  });

  /**
   * **Feature: server-sdk, Property 13: Registry retrieval correctness**
   * **Validates: Requirements 6.4**
   */
  test("A30: a lookup returns the exact definition that was registered", () => {
    fc.assert(
      fc.property(messagesArb, fc.string(), (messages, type) => {
        const registry = new MessageRegistry();
        for (const message of messages) registry.register(message);
        for (const message of messages) expect(registry.get(message.type)).toBe(message);
        expect(registry.has(type)).toBe(messages.some((message) => message.type === type));
      }),
      RUNS,
    );
  });
});
