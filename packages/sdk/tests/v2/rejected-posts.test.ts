/**
 * @fileoverview `createMcpHandler` rejects the same batches, responses, and large requests as the official SDK, version 2.
 * The texts of its errors name only options that it has.
 * @module tests/sdk/v2/rejected-posts
 */
import * as official from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import * as tenon from "../../src/v2/index.js";
import { INFO, SDKS, settle, text } from "../support/v2/both-sides.js";
import { META, modern, post, readResponse, type Seen } from "../support/v2/http.js";

const call = (id: unknown, params: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "ping", ...params },
});
const note = { jsonrpc: "2.0", method: "notifications/initialized" };
const response = { jsonrpc: "2.0", id: 5, result: {} };
const clientInfo = { name: "c", version: "1" };
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo },
};

/** Sends a body to a handler of each package, and records how often a factory or a tool ran. */
async function sendBoth(body: unknown, options: official.CreateMcpHandlerOptions, version?: string) {
  const seen: (Seen & { readonly ran: number; readonly errors: number })[] = [];
  for (const [, sdk] of SDKS) {
    let [ran, errors] = [0, 0];
    const factory = () => {
      ran++;
      const server = new sdk.McpServer(INFO);
      server.registerTool("ping", {}, () => text("pong"));
      return server;
    };
    const handler = sdk.createMcpHandler(factory, { ...options, onerror: () => void errors++ });
    const request = post(body, version === undefined ? {} : { "mcp-protocol-version": version });
    const answer = await readResponse(await handler.fetch(request));
    await settle();
    seen.push({ ...answer, ran, errors });
  }
  return seen as [(typeof seen)[0], (typeof seen)[0]];
}

/** Status, ID, and code of an error response. */
const outline = ({ status, type, messages }: Seen) => [
  status,
  type,
  messages.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]),
];

describe("legacy: reject", () => {
  const bodies: readonly (readonly [title: string, body: unknown])[] = [
    ["a batch", [call(1), call(2)]],
    ["a batch of one message", [call(1)]],
    ["a batch of notifications", [note, note]],
    ["a batch of responses", [response]],
    ["a batch of all kinds of messages", [call(1), note, response]],
    ["a batch with initialize", [initialize]],
    ["an empty batch", []],
    ["a batch with more than 100 messages", Array.from({ length: 101 }, (_, id) => call(id))],
    ["a batch with a 2026 request", [call(1, { _meta: META })]],
    ["a batch with a 2026 notification", [{ ...note, params: { _meta: META } }]],
    ["a batch that starts with an invalid message", [5, call(1)]],
    ["a batch that ends with an invalid message", [call(1), note, { jsonrpc: "1.0", id: 1, method: "ping" }]],
    ["a batch of invalid messages", [null, null, [call(1)]]],
    ["a response", response],
    ["an error response", { jsonrpc: "2.0", id: 5, error: { code: -1, message: "no" } }],
    ["a response with an invalid result", { ...response, result: 5 }],
  ];
  test.each(bodies)("%s is rejected with 400 (drop-in B8)", async (_title, body) => {
    for (const version of [undefined, "2025-03-26", "2025-11-25", "2026-07-28"]) {
      const [wanted, given] = await sendBoth(body, { legacy: "reject" }, version);
      expect(outline(wanted)).toEqual([400, "application/json", [[null, -32600]]]);
      expect(outline(given)).toEqual(outline(wanted));
      expect([given.ran, wanted.ran]).toEqual([0, 0]);
    }
  });

  test("the reason is reported once (drop-in B8)", async () => {
    for (const body of [[call(1), call(2), note], [1, 1, 1], response]) {
      const [wanted, given] = await sendBoth(body, { legacy: "reject" });
      expect([wanted.errors, given.errors]).toEqual([1, 1]);
    }
  });

  test("a rejected batch does not delay or change other requests (drop-in B8)", async () => {
    const handler = tenon.createMcpHandler(
      () => {
        const server = new tenon.McpServer(INFO);
        server.registerTool("ping", {}, () => text("pong"));
        return server;
      },
      { legacy: "reject" },
    );
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) =>
        handler.fetch(index % 2 === 0 ? post([call(1), 5, call(2)]) : modern("tools/call", { name: "ping" })),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map((_, index) => (index % 2 === 0 ? 400 : 200)),
    );
  });
});

describe("legacy: stateless", () => {
  test.each([
    ["an invalid message", [call(1), 5]],
    ["only invalid messages", [null, [call(1)]]],
    ["a message without an ID of the right type", [call(null)]],
    ["a message of another version", [{ ...call(1), jsonrpc: "1.0" }, note]],
    ["a 2026 notification", [{ ...note, params: { _meta: META } }]],
  ])("a batch with %s is rejected as a whole (drop-in B8)", async (_title, body) => {
    const [wanted, given] = await sendBoth(body, {}, "2025-03-26");
    expect(outline(wanted)).toEqual([400, "application/json", [[null, -32600]]]);
    expect(outline(given)).toEqual(outline(wanted));
    expect([given.ran, wanted.ran, given.errors, wanted.errors]).toEqual([0, 0, given.errors, 1]);
  });

  test("the error names the invalid message of a batch (drop-in B8)", async () => {
    const [, given] = await sendBoth([call(1), { jsonrpc: "2.0", method: 5 }], {}, "2025-03-26");
    expect(given.messages).toMatchObject([
      { error: { message: "Message 2 of the batch is invalid: `method` must be a string." } },
    ]);
  });

  test("a response is accepted and dropped (drop-in B8)", async () => {
    const [wanted, given] = await sendBoth(response, {});
    expect([wanted.status, given.status]).toEqual([202, 202]);
  });

  test.each([
    ["a batch with an invalid message", [call(1), 5], false],
    ["a valid batch", [call(1), note], true],
  ])("isLegacyRequest: %s (drop-in B8)", async (_title, body, isLegacy) => {
    for (const [, sdk] of SDKS) expect(await sdk.isLegacyRequest(post(body))).toBe(isLegacy);
  });
});

describe("requests with many values", () => {
  const list = Array.from({ length: 30_000 }, () => 1);
  const requests: readonly (readonly [era: string, request: () => Request])[] = [
    ["2025", () => post(call(1, { name: "count", arguments: { list } }))],
    ["2026", () => modern("tools/call", { name: "count", arguments: { list } })],
  ];
  const factoryOf = (sdk: (typeof SDKS)[number][1]) => () => {
    const server = new sdk.McpServer(INFO);
    const inputSchema = z.object({ list: z.array(z.number()) });
    server.registerTool("count", { inputSchema }, (args) => text(String(args.list.length)));
    return server;
  };

  test.each(requests)("%s: the error names an option that exists (drop-in B10)", async (_era, request) => {
    const handler = tenon.createMcpHandler(factoryOf({ ...official, ...tenon }));
    expect(await readResponse(await handler.fetch(request()))).toMatchObject({
      status: 400,
      messages: [
        {
          error: {
            code: -32600,
            message:
              "The message has more than 25000 values. Send a smaller message, or raise `maxValues` on the server.",
          },
        },
      ],
    });
  });

  test.each(requests)(
    "%s: with a higher `maxValues`, they are served (drop-in B10)",
    async (_era, request) => {
      const [[, theirs], [, ours]] = SDKS as [(typeof SDKS)[number], (typeof SDKS)[number]];
      const options: tenon.CreateMcpHandlerOptions = { maxValues: 50_000 };
      for (const handler of [
        theirs.createMcpHandler(factoryOf(theirs)).fetch,
        ours.createMcpHandler(factoryOf(ours), options).fetch,
        tenon.legacyStatelessFallback(factoryOf(ours), undefined, options),
      ])
        expect((await readResponse(await handler(request()))).messages).toMatchObject([
          { result: text("30000") },
        ]);
      const parsedBody: unknown = await request().json();
      const parsed = await ours.createMcpHandler(factoryOf(ours), options).fetch(request(), { parsedBody });
      expect((await readResponse(parsed)).messages).toMatchObject([{ result: text("30000") }]);
    },
  );

  test.each(requests)("%s: isLegacyRequest recognizes them (drop-in B10)", async (era, request) => {
    for (const [, sdk] of SDKS) expect(await sdk.isLegacyRequest(request())).toBe(era === "2025");
  });
});
