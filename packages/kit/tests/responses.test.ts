import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import { buildAuthResponse, jsonResult, outputVocabulary } from "../src/index.js";
import { createClient } from "tenon/testing";

describe("Z22: jsonResult", () => {
  test("contains the value as data and as JSON text", () => {
    expect(jsonResult({ type: "success", data: "Hello" })).toEqual({
      content: [{ type: "text", text: '{"type":"success","data":"Hello"}' }],
      structuredContent: { type: "success", data: "Hello" },
    });
  });

  test("data and text are both the JSON form of the value", () => {
    const at = new Date(0);
    const { content, structuredContent } = jsonResult({ at, gone: undefined, odd: Number.NaN });
    expect(structuredContent).toEqual({ at: "1970-01-01T00:00:00.000Z", odd: null });
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
  });

  test("does not change when the value changes later", () => {
    const value = { list: [1] };
    const result = jsonResult(value);
    value.list.push(2);
    expect(result.structuredContent).toEqual({ list: [1] });
  });

  const circle: Record<string, unknown> = { items: [{}] };
  circle["items"] = [{ parent: circle }];
  const deep: Record<string, unknown> = {};
  let at = deep;
  for (let depth = 0; depth < 20_000; depth++) at = at["in"] = {};

  test.each<[string, unknown, string]>([
    ["a circle", circle, "Could not convert to JSON: items.0.parent is a circular reference."],
    [
      "a bigint",
      { a: { b: 1n } },
      "Could not convert to JSON: a.b is a bigint; convert it to a number or string first.",
    ],
    [
      "a bigint alone",
      1n,
      "Could not convert to JSON: the value is a bigint; convert it to a number or string first.",
    ],
    ["nothing", undefined, "Could not convert to JSON: the value is undefined, which JSON cannot represent."],
    [
      "a function",
      () => {},
      "Could not convert to JSON: the value is a function, which JSON cannot represent.",
    ],
    [
      "a symbol",
      Symbol("s"),
      "Could not convert to JSON: the value is a symbol, which JSON cannot represent.",
    ],
    ["a very deep value", deep, "Could not convert to JSON: the value is nested deeper than 500 levels."],
    [
      "a value whose toJSON throws",
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
      "Could not convert to JSON: the value cannot be represented in JSON.",
    ],
  ])("rejects %s and names the place", (_, value, message) => {
    expect(() => jsonResult(value)).toThrow(new TypeError(message));
  });

  test("accepts the same object twice", () => {
    const one = { a: 1 };
    expect(jsonResult([one, one]).structuredContent).toEqual([{ a: 1 }, { a: 1 }]);
  });
});

describe("Z25: buildAuthResponse", () => {
  test("has exactly the required members", () => {
    expect(buildAuthResponse("Please log in", "https://accounts.example.com/auth?x=1")).toEqual({
      content: [{ type: "text", text: "Please log in" }],
      structuredContent: {
        type: "auth_required",
        authUrl: "https://accounts.example.com/auth?x=1",
        message: "Please log in",
      },
    });
  });

  test.each([
    ["javascript:alert(1)", "a URL that starts with javascript:"],
    ["file:///etc/passwd", "a URL that starts with file:"],
    ["/auth", "a string that is not a URL"],
    ["", "a string that is not a URL"],
    ["data:text/html,x", "a URL that starts with data:"],
  ])("rejects the URL %o", (authUrl, got) => {
    expect(() => buildAuthResponse("Log in", authUrl)).toThrow(
      new TypeError(`\`authUrl\` must be an http or https URL; got ${got}.`),
    );
  });

  test("passes an output schema with a login branch", async () => {
    const { branchedOutput, itemOutput } = outputVocabulary(z);
    const server = defineServer({ name: "mail", version: "1.0.0" }).tool("message-get", {
      output: branchedOutput(itemOutput(z.object({ id: z.string() }))),
      handler: () => buildAuthResponse("Please log in", "http://127.0.0.1:8080/auth"),
    });
    const client = await createClient(server, { revision: "2025-06-18" });
    expect(await client.callTool("message-get", {})).toMatchObject({
      content: [{ type: "text", text: "Please log in" }],
      structuredContent: { type: "auth_required", authUrl: "http://127.0.0.1:8080/auth" },
    });
    await client.close();
  });
});
