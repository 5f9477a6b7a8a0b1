import { describe, expect, test } from "vitest";
import { defineServer, newErrorResponse, Server } from "../../src/index.js";
import {
  cachedResponse,
  errorResponse,
  McpResponse,
  Payload,
  resultResponse,
} from "../../src/core/wire/response.js";
import { Attachments } from "../../src/core/definitions/attached-extension.js";
import { createSnapshot } from "../../src/core/snapshot/snapshot.js";
import { PlanEditor } from "../../src/core/definitions/plan.js";
import { draftTool, type ToolDraft, type ToolEntry } from "../../src/core/definitions/tool.js";
import { readSourceFiles } from "../../../../tools/source-files.js";
import { exchangeOf, handle, modernRequest, request } from "../../../../tests/support/requests.js";

const server = Server.builder()
  .toolsJson('[{"name":"a","description":"ä 💡"},{"name":"b"}]')
  .resourcesJson('[{"name":"r","uri":"doc://r"}]')
  .build();

describe("R8: a response hides its fields", () => {
  test("its fields are private and it does not serialize to JSON itself", async () => {
    const response = await handle(server, request("ping"));
    expect(Object.keys(response)).toEqual([]);
    expect(response).toBeInstanceOf(McpResponse);
    const face: Record<string, unknown> = await import("../../src/index.js");
    expect(face["McpResponse"]).toBeUndefined();
  });

  test("R27: it has one of four kinds, and `notification` means 202 without a body", async () => {
    const payload = new Payload("{}");
    expect(cachedResponse(1, payload)).toMatchObject({ kind: "cached", status: 200, error: undefined });
    expect(resultResponse(1, "{}")).toMatchObject({ kind: "result", status: 200 });
    expect(newErrorResponse(1, "INTERNAL_ERROR", "x")).toMatchObject({
      kind: "error",
      status: 200,
      error: "INTERNAL_ERROR",
    });
    expect(newErrorResponse(null, "PARSE_ERROR", "x")).toMatchObject({ kind: "error", status: 400 });
    expect(await handle(server, { jsonrpc: "2.0", method: "notifications/x" })).toMatchObject({
      kind: "notification",
      status: 202,
    });
  });

  test.each([
    [1, "1"],
    [0, "0"],
    [-7, "-7"],
    ['a"\u2028', '"a\\"\u2028"'],
    ["", '""'],
  ])("R26: writes jsonrpc, the id %j, then the result or the error", (id, written) => {
    expect(resultResponse(id, '{"a":1}').toText()).toBe(`{"jsonrpc":"2.0","id":${written},"result":{"a":1}}`);
    expect(newErrorResponse(id, "INVALID_PARAMS", "no").toText()).toBe(
      `{"jsonrpc":"2.0","id":${written},"error":{"code":-32602,"message":"no"}}`,
    );
  });

  test("R26: the joined parts equal the text, and the bytes equal the text in UTF-8", async () => {
    const response = await handle(server, request("tools/list"));
    const { prefix, payload, suffix } = response.parts();
    expect(payload).toBeInstanceOf(Uint8Array);
    const text = prefix + new TextDecoder().decode(payload as Uint8Array) + suffix;
    expect(text).toBe(response.toText());
    expect(new TextDecoder().decode(response.toBytes())).toBe(text);
    expect(resultResponse(1, "{}").parts()).toEqual({
      prefix: '{"jsonrpc":"2.0","id":1,"result":',
      payload: "{}",
      suffix: "}",
    });
  });

  test("data that cannot be serialized is omitted from an error", () => {
    const response = errorResponse(1, { error: "CONFLICT", message: "x", data: { n: 1n } });
    expect(response.toText()).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}}');
  });

  test("R28: only tests parse a response to an object", () => {
    const callers = readSourceFiles().filter(
      ({ path, text }) => path !== "tenon/core/wire/response.ts" && text.includes("intoJsonRpc("),
    );
    expect(callers.map(({ path }) => path)).toEqual([]);
  });
});

describe("R24: cached responses are not copied", () => {
  test.each(["initialize", "tools/list", "resources/list", "resources/templates/list", "prompts/list"])(
    "R24, R25: two responses to %s share the same payload object",
    async (method) => {
      const first = (await handle(server, request(method, {}, 1))).parts();
      const second = (await handle(server, request(method, {}, "two"))).parts();
      expect(first.payload).toBeInstanceOf(Uint8Array);
      expect(second.payload).toBe(first.payload);
    },
  );

  test("R25: server/discover and modern-era lists are also cached", async () => {
    for (const method of ["server/discover", "tools/list", "prompts/list"]) {
      const parts = async () =>
        (await handle(server, modernRequest(method), exchangeOf({ era: "modern" }))).parts();
      expect((await parts()).payload).toBe((await parts()).payload);
    }
  });

  test("R29, R30: each definition is compiled once and shared by lists and lookups", () => {
    const made: ToolEntry[] = [];
    const draft = draftTool("t", { handler: () => "x" });
    const counting: ToolDraft = {
      name: "t",
      compile(settings) {
        const entry = draft.compile(settings);
        made.push(entry);
        return entry;
      },
    };
    const { plan } = new PlanEditor({
      info: { name: "a", version: "1" },
      instructions: undefined,
      tools: [counting],
      resources: [],
      templates: [],
      prompts: [],
      extensions: [],
      experimental: {},
      layers: [],
      settings: { layers: [], jsonSchema: undefined, validationErrors: undefined, deadlineMs: undefined },
      pageSize: undefined,
      listTtlMs: 0,
    });
    const attachments = new Attachments();
    const snapshot = createSnapshot(plan, attachments);
    expect(made).toHaveLength(1);
    expect(snapshot.tools.get("t")).toBe(made[0]);
    expect(createSnapshot(plan, attachments).tools.get("t")).toBe(made[0]);
    expect(made).toHaveLength(1);
  });

  test("R9: handle never returns a JsonRpcResponse", async () => {
    const response = await handle(defineServer({ name: "a", version: "1" }).build(), request("ping"));
    expect("jsonrpc" in response).toBe(false);
    expect(response.intoJsonRpc()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});
