import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "tenon";
import { buildAuthResponse, jsonResult, outputVocabulary } from "../src/index.js";
import { createClient } from "tenon/testing";

describe("Z22: jsonResult", () => {
  test("is the value as data, and the same JSON as text", () => {
    expect(jsonResult({ type: "success", data: "Hello" })).toEqual({
      content: [{ type: "text", text: '{"type":"success","data":"Hello"}' }],
      structuredContent: { type: "success", data: "Hello" },
    });
  });

  test("both say the same, whatever JSON makes of the value", () => {
    const at = new Date(0);
    const { content, structuredContent } = jsonResult({ at, gone: undefined, odd: Number.NaN });
    expect(structuredContent).toEqual({ at: "1970-01-01T00:00:00.000Z", odd: null });
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
  });

  test("neither changes when the value does", () => {
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
    ["a circle", circle, "As JSON, items.0.parent refers back to what it is part of"],
    ["a bigint", { a: { b: 1n } }, "As JSON, a.b is a bigint: turn it into a number or text first"],
    ["a bigint alone", 1n, "As JSON, the value is a bigint: turn it into a number or text first"],
    ["nothing", undefined, "As JSON, the value is undefined, which JSON does not have"],
    ["a function", () => {}, "As JSON, the value is function, which JSON does not have"],
    ["a symbol", Symbol("s"), "As JSON, the value is symbol, which JSON does not have"],
    ["a bottomless value", deep, "As JSON, the value is nested too deep"],
    [
      "a value that fails by itself",
      {
        toJSON: () => {
          throw new Error("no");
        },
      },
      "As JSON, the value cannot be written",
    ],
  ])("%s is refused, with its place", (_, value, message) => {
    expect(() => jsonResult(value)).toThrow(new TypeError(message));
  });

  test("the same object twice is no circle", () => {
    const one = { a: 1 };
    expect(jsonResult([one, one]).structuredContent).toEqual([{ a: 1 }, { a: 1 }]);
  });
});

describe("Z25: buildAuthResponse", () => {
  test("has exactly these members", () => {
    expect(buildAuthResponse("Please log in", "https://accounts.example.com/auth?x=1")).toEqual({
      content: [{ type: "text", text: "Please log in" }],
      structuredContent: {
        type: "auth_required",
        authUrl: "https://accounts.example.com/auth?x=1",
        message: "Please log in",
      },
    });
  });

  test.each(["javascript:alert(1)", "file:///etc/passwd", "/auth", "", "data:text/html,x"])(
    "%o is no address to open",
    (authUrl) => {
      expect(() => buildAuthResponse("Log in", authUrl)).toThrow(
        new TypeError("buildAuthResponse needs an http or https address"),
      );
    },
  );

  test("reaches a client through a schema that has its branch", async () => {
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
    client.close();
  });
});
