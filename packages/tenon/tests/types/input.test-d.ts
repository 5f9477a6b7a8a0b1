import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineServer, form, url } from "../../src/index.js";
import type { InputAnswer, Root, SamplingResult } from "../../src/protocol/client-requests.js";

const builder = defineServer({ name: "types", version: "1.0.0" });

describe("the answer to a form", () => {
  const name = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

  test("has its schema's type", () => {
    builder.tool("t", {
      async handler(_args, call) {
        const answer = await call.input("name", name);
        expectTypeOf(answer).toEqualTypeOf<InputAnswer<{ name: string }>>();
        return answer.action;
      },
    });
  });

  test("has content only if it was accepted", () => {
    builder.tool("t", {
      async handler(_args, call) {
        const answer = await call.input("name", name);
        expectTypeOf(answer.action).toEqualTypeOf<"accept" | "decline" | "cancel">();
        // @ts-expect-error a declined form does not have content
        void answer.content;
        if (answer.action !== "accept") return answer.action;
        expectTypeOf(answer.content).toEqualTypeOf<{ name: string }>();
        return answer.content.name;
      },
    });
  });

  test("is the schema's output: defaults are filled in", () => {
    builder.tool("t", {
      async handler(_args, call) {
        const schema = z.object({ days: z.number().default(3), unit: z.enum(["C", "F"]) });
        const answer = await call.input("days", form({ message: "How long?", schema }));
        if (answer.action === "accept") {
          expectTypeOf(answer.content).toEqualTypeOf<{ days: number; unit: "C" | "F" }>();
        }
      },
    });
  });

  test("is inferred from any schema library", () => {
    builder.tool("t", {
      async handler(_args, call) {
        const valibot = form({
          message: "Who?",
          schema: toStandardJsonSchema(v.object({ name: v.string() })),
        });
        expectTypeOf(await call.input("a", valibot)).toEqualTypeOf<InputAnswer<{ name: string }>>();
        const arktype = form({ message: "Who?", schema: type({ name: "string" }) });
        expectTypeOf(await call.input("b", arktype)).toEqualTypeOf<InputAnswer<{ name: string }>>();
      },
    });
  });

  test("is a generic object if the schema is a plain JSON Schema", () => {
    builder.tool("t", {
      async handler(_args, call) {
        const data = form({
          message: "Who?",
          schema: { type: "object", properties: { name: { type: "string" } } },
        });
        expectTypeOf(await call.input("c", data)).toEqualTypeOf<
          InputAnswer<{ readonly [key: string]: unknown }>
        >();
      },
    });
  });

  test("needs a key and a request", () => {
    builder.tool("t", {
      async handler(_args, call) {
        // @ts-expect-error a request without a key cannot be identified
        await call.input(name);
        // @ts-expect-error a string is not a request
        await call.input("name", "Who are you?");
      },
    });
  });
});

describe("other requests to the client", () => {
  test("have their own result types", () => {
    builder.tool("t", {
      async handler(_args, call) {
        const link = url({ message: "Sign in", url: "https://example.com" });
        expectTypeOf(await call.input("link", link)).toEqualTypeOf<InputAnswer<undefined>>();
        expectTypeOf(await call.roots("roots")).toEqualTypeOf<readonly Root[]>();
        expectTypeOf(
          await call.sample("joke", {
            messages: [{ role: "user", content: { type: "text", text: "A joke, please" } }],
            maxTokens: 100,
          }),
        ).toEqualTypeOf<SamplingResult>();
      },
    });
  });

  test("and `once` returns the result of its task", () => {
    builder.tool("t", {
      async handler(_args, call) {
        expectTypeOf(await call.once("id", () => 7)).toEqualTypeOf<number>();
        expectTypeOf(await call.once("later", async () => ({ id: "a" }))).toEqualTypeOf<{ id: string }>();
      },
    });
  });
});
