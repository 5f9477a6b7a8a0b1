import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer, McpError } from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import { handle, replyTo, request } from "../../../../tests/support/requests.js";

const info = { name: "a", version: "1" };

describe("prompts", () => {
  const server = defineServer(info)
    .prompt("review", {
      title: "Review",
      description: "Reviews code",
      arguments: z.object({ code: z.string().describe("The code"), style: z.string().optional() }),
      handler: ({ code, style }) => `Review in ${style ?? "any"} style: ${code}`,
    })
    .prompt("listed", {
      arguments: [{ name: "topic", required: true }, { name: "mood" }],
      handler: ({ topic, mood }) => [
        { role: "assistant", content: { type: "text", text: `${topic} ${mood ?? "-"}` } },
      ],
    })
    .prompt("full", { handler: () => ({ description: "D", messages: [] }) })
    .prompt("told", {
      handler: () => {
        throw new McpError("FORBIDDEN", "not you");
      },
    })
    .prompt("wrong", { handler: () => 7 as never })
    .build();

  test.each(REVISIONS)("%s lists and gets them", async (revision) => {
    const client = await createClient(server, { revision });
    const [review, listed] = await client.listPrompts();
    expect(review).toMatchObject({
      name: "review",
      arguments: [
        { name: "code", description: "The code", required: true },
        { name: "style", required: false },
      ],
    });
    expect(review?.title).toBe(revision >= "2025-06-18" ? "Review" : undefined);
    expect(listed?.arguments).toEqual([{ name: "topic", required: true }, { name: "mood" }]);
    expect((await client.getPrompt("review", { code: "x" })).messages).toEqual([
      { role: "user", content: { type: "text", text: "Review in any style: x" } },
    ]);
    expect((await client.getPrompt("listed", { topic: "t" })).messages[0]?.content).toEqual({
      type: "text",
      text: "t -",
    });
    expect((await client.getPrompt("full")).description).toBe("D");
  });

  test.each([
    ["review", {}, -32602, "Validation failed: code: Invalid input: expected string, received undefined"],
    ["listed", {}, -32602, "Validation failed: topic: is required"],
    ["listed", { topic: 3 }, -32602, "Validation failed: topic: must be a string"],
    ["told", {}, -32600, "not you"],
    ["wrong", {}, -32603, "Internal error"],
  ])("%s with %j is an error", async (name, args, code, message) => {
    const reply = await replyTo(server, request("prompts/get", { name, arguments: args }));
    expect(reply.error).toMatchObject({ code, message });
  });

  test("prompts/get accepts an object or no arguments", async () => {
    const reply = await replyTo(server, request("prompts/get", { name: "full", arguments: "x" }));
    expect(reply.error?.message).toBe("invalid params: arguments must be an object");
  });

  test("a completer for an unknown argument fails the build", () => {
    const define = () =>
      defineServer(info)
        .prompt("p", { complete: { nope: () => [] }, handler: () => "" })
        .build();
    expect(define).toThrow(
      'Prompt "p": `complete` contains "nope", but the prompt does not declare that argument.',
    );
    const odd = () =>
      defineServer(info)
        .prompt("p", { arguments: z.string(), handler: () => "" })
        .build();
    expect(odd).toThrow(
      'Prompt "p": the arguments schema must be an object schema; got a string schema. Wrap it in z.object({ … }).',
    );
  });
});

describe("resource templates", () => {
  const server = defineServer(info)
    .resource("fixed", { uri: "weather://riga/today", handler: () => "fixed" })
    .resourceTemplate("weather", {
      uriTemplate: "weather://{city}/{day}",
      title: "Weather",
      mimeType: "text/plain",
      handler: ({ city, day }, _call, uri) => `${city} ${day} ${uri}`,
    })
    .resourceTemplate("files", {
      uriTemplate: "files://{host}{/path*}{?rev}",
      handler: ({ host, path, rev }) => JSON.stringify({ host, path, rev }),
    })
    .build();

  test("a URI matches its template with decoded variables, and a fixed resource takes precedence", async () => {
    const client = await createClient(server);
    const text = async (uri: string) => {
      const [content] = (await client.readResource(uri)).contents;
      return content !== undefined && "text" in content ? content.text : undefined;
    };
    expect(await text("weather://riga/today")).toBe("fixed");
    expect(await text("weather://S%C3%A3o%20Paulo/now")).toBe("São Paulo now weather://S%C3%A3o%20Paulo/now");
    expect(await text("files://h/a/b%20c?rev=7")).toBe('{"host":"h","path":["a","b c"],"rev":"7"}');
    expect(await text("files://h/a")).toBe('{"host":"h","path":["a"]}');
    await expect(client.readResource("weather://a/b/c")).rejects.toMatchObject({ code: -32002 });
    await expect(client.readResource("weather://%zz/b")).rejects.toMatchObject({ code: -32002 });
  });

  test("are listed as templates", async () => {
    const client = await createClient(server, { revision: "2026-07-28" });
    expect(await client.listResourceTemplates()).toEqual([
      { name: "weather", uriTemplate: "weather://{city}/{day}", title: "Weather", mimeType: "text/plain" },
      { name: "files", uriTemplate: "files://{host}{/path*}{?rev}" },
    ]);
  });

  test("the cache hint is sent in the modern era", async () => {
    const cached = defineServer(info)
      .resource("r", { uri: "doc://r", cache: { ttlMs: 9, cacheScope: "public" }, handler: () => "x" })
      .build();
    const client = await createClient(cached, { revision: "2026-07-28" });
    expect(await client.readResource("doc://r")).toMatchObject({ ttlMs: 9, cacheScope: "public" });
  });

  test.each([
    [
      "weather://{city",
      'Resource template "t": URI template "weather://{city" has a "{" without a matching "}"',
    ],
    [
      "weather://{a}{a}",
      'Resource template "t": URI template "weather://{a}{a}" contains the variable {a} twice',
    ],
    [
      "weather://{a:3}",
      'Resource template "t": URI template "weather://{a:3}" has the unsupported expression {a:3}',
    ],
  ])("%s fails the build", (uriTemplate, reason) => {
    const define = () =>
      defineServer(info)
        .resourceTemplate("t", { uriTemplate, handler: () => "" })
        .build();
    expect(define).toThrow(reason);
  });

  test("a resource with a relative URI fails the build", () => {
    const define = () =>
      defineServer(info)
        .resource("r", { uri: "readme", handler: () => "" })
        .build();
    expect(define).toThrow('Resource "r": `uri` must be an absolute URI; got "readme".');
  });
});

describe("completions", () => {
  const server = defineServer(info)
    .prompt("p", {
      arguments: z.object({ language: z.string(), framework: z.string(), other: z.string() }),
      complete: {
        language: (typed) => ["go", "rust", "typescript"].filter((one) => one.startsWith(typed)),
        framework: async (_typed, { language }) => ({
          values: [`${language}-web`],
          total: 1,
          hasMore: false,
        }),
        other: () => {
          throw new Error("secret");
        },
      },
      handler: () => "",
    })
    .resourceTemplate("t", {
      uriTemplate: "doc://{id}",
      complete: { id: () => Array.from({ length: 250 }, (_, index) => `${index}`) },
      handler: () => "",
    })
    .resource("r", { uri: "doc://fixed/one", handler: () => "" })
    .build();
  const prompt = { type: "ref/prompt", name: "p" };

  test.each(REVISIONS)("%s gets suggestions", async (revision) => {
    const client = await createClient(server, { revision });
    expect(await client.complete(prompt, { name: "language", value: "r" })).toEqual({ values: ["rust"] });
    expect(await client.complete(prompt, { name: "unknown", value: "" })).toEqual({
      values: [],
      hasMore: false,
    });
    const many = await client.complete(
      { type: "ref/resource", uri: "doc://{id}" },
      { name: "id", value: "" },
    );
    expect(many.values).toHaveLength(100);
    expect(many).toMatchObject({ total: 250, hasMore: true });
    expect(
      await client.complete({ type: "ref/resource", uri: "doc://fixed/one" }, { name: "x", value: "" }),
    ).toEqual({
      values: [],
      hasMore: false,
    });
  });

  test("the completer receives the arguments already filled in", async () => {
    const params = {
      ref: prompt,
      argument: { name: "framework", value: "" },
      context: { arguments: { language: "go", n: 1 } },
    };
    expect((await replyTo(server, request("completion/complete", params))).result).toEqual({
      completion: { values: ["go-web"], total: 1, hasMore: false },
    });
  });

  test.each([
    [{ ref: { type: "ref/prompt", name: "nope" }, argument: { name: "a", value: "" } }, -32602],
    [{ ref: { type: "ref/other" }, argument: { name: "a", value: "" } }, -32602],
    [{ ref: { type: "ref/resource", uri: "doc://nope/x" }, argument: { name: "a", value: "" } }, -32602],
    [{ ref: prompt, argument: { name: "a" } }, -32602],
    [{ ref: prompt, argument: { name: "other", value: "" } }, -32603],
  ])("%j is an error", async (params, code) => {
    const { error } = await replyTo(server, request("completion/complete", params));
    expect(error?.code).toBe(code);
    expect(error?.message).not.toContain("secret");
  });

  test("an asynchronous completer that fails is an internal error", async () => {
    const failing = defineServer(info)
      .prompt("p", {
        arguments: [{ name: "a" }],
        complete: { a: () => Promise.reject(new Error("secret")) },
        handler: () => "",
      })
      .build();
    const response = await handle(
      failing,
      request("completion/complete", { ref: prompt, argument: { name: "a", value: "" } }),
    );
    expect(response.intoJsonRpc()?.error).toEqual({ code: -32603, message: "Internal error" });
  });

  test("the capability is declared if the server has a completer", async () => {
    expect((await createClient(server)).server["capabilities"]).toMatchObject({ completions: {} });
    expect((await createClient(defineServer(info))).server["capabilities"]).not.toHaveProperty("completions");
  });

  test("a completer for an unknown variable fails the build", () => {
    const define = () =>
      defineServer(info)
        .resourceTemplate("t", {
          uriTemplate: "doc://{id}",
          complete: { nope: () => [] } as never,
          handler: () => "",
        })
        .build();
    expect(define).toThrow(
      'Resource template "t": `complete` contains "nope", but the URI template does not contain that variable.',
    );
  });
});
