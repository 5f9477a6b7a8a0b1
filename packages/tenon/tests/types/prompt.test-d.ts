import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/index.js";

const builder = defineServer({ name: "types", version: "1.0.0" });

describe("a prompt's arguments", () => {
  test("are inferred from a zod schema", () => {
    builder.prompt("p", {
      arguments: z.object({ topic: z.string(), tone: z.string().default("dry") }),
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<{ topic: string; tone: string }>();
        return args.topic;
      },
    });
  });

  test("are inferred from a literal list: required ones are present, others may be absent", () => {
    builder.prompt("p", {
      arguments: [{ name: "topic", required: true }, { name: "tone" }],
      handler(args) {
        expectTypeOf(args.topic).toEqualTypeOf<string>();
        expectTypeOf(args.tone).toEqualTypeOf<string | undefined>();
        return args.topic;
      },
    });
  });

  test("are empty if none are declared", () => {
    builder.prompt("p", {
      handler(args) {
        expectTypeOf(args).toEqualTypeOf<Record<string, never>>();
        return "Hello";
      },
    });
  });

  test("are the only ones a handler can read", () => {
    builder.prompt("p", {
      arguments: [{ name: "topic" }],
      // @ts-expect-error the list does not contain "tone"
      handler: ({ tone }) => String(tone),
    });
    builder.prompt("p", {
      arguments: z.object({ topic: z.string() }),
      // @ts-expect-error the schema does not have "tone"
      handler: ({ tone }) => String(tone),
    });
  });

  test("are a schema or a list, not a plain JSON Schema", () => {
    builder.prompt("p", {
      // @ts-expect-error plain arguments must be a list
      arguments: { type: "object" },
      handler: () => "Hello",
    });
  });

  test("are the only ones that can be completed", () => {
    builder.prompt("p", {
      arguments: [{ name: "topic" }],
      complete: { topic: (typed) => [typed] },
      handler: ({ topic }) => topic ?? "",
    });
    builder.prompt("p", {
      arguments: z.object({ topic: z.string() }),
      complete: { topic: (typed) => [typed] },
      handler: ({ topic }) => topic,
    });
    builder.prompt("p", {
      arguments: [{ name: "topic" }],
      // @ts-expect-error the list does not contain "tone"
      complete: { tone: () => [] },
      handler: ({ topic }) => topic ?? "",
    });
  });
});

describe("a prompt handler's return value", () => {
  test("is text, messages, or a full result, synchronous or asynchronous", () => {
    builder
      .prompt("text", { handler: () => "Hello" })
      .prompt("messages", {
        handler: () => [{ role: "user", content: { type: "text", text: "Hello" } }],
      })
      .prompt("full", {
        handler: async () => ({ messages: [{ role: "assistant", content: { type: "text", text: "Hi" } }] }),
      });
  });

  test("cannot be anything else", () => {
    builder.prompt("p", {
      // @ts-expect-error a number is not a message
      handler: () => 3,
    });
    builder.prompt("p", {
      // @ts-expect-error "system" is not a role
      handler: () => [{ role: "system", content: { type: "text", text: "Hello" } }],
    });
  });
});
