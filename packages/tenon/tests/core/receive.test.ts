import { describe, expect, test } from "vitest";
import { defineServer } from "../../src/index.js";
import { receive, replyText } from "tenon/host";
import { DEFAULT_LIMITS } from "../../src/protocol/index.js";
import { exchangeOf } from "../../../../tests/support/requests.js";

const server = defineServer({ name: "a", version: "1" })
  .tool("now", { handler: () => "now" })
  .tool("later", { handler: async () => "later" })
  .build();
const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
const take = async (frame: unknown, exchange = exchangeOf({ era: "legacy", revision: "2025-03-26" })) =>
  replyText(
    await receive(server, typeof frame === "string" ? frame : JSON.stringify(frame), {
      context: undefined,
      exchange,
    }),
  );

describe("frames", () => {
  test.each([
    ["{", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The message is not valid JSON."}}'],
    ["", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"The message is not valid JSON."}}'],
    [
      "[]",
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The batch is empty. Send at least one message."}}',
    ],
    [
      "3",
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The message must be a JSON object."}}',
    ],
    [
      "[".repeat(100),
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The message is nested deeper than 64 levels."}}',
    ],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}', ""],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ])("%s is answered with %s", async (frame, reply) => {
    expect(await take(frame)).toBe(reply);
  });

  test("bytes that are not UTF-8 are a parse error", async () => {
    expect(replyText(await receive(server, new Uint8Array([0xc3, 0x28]), { context: undefined }))).toContain(
      "-32700",
    );
  });

  test("a frame over the size limit is rejected before it is parsed", async () => {
    const limits = { ...DEFAULT_LIMITS, maxBytes: 64, maxBatch: 2 };
    const frame = JSON.stringify({ ...ping(1), params: { text: "x".repeat(64) } });
    expect(replyText(await receive(server, frame, { context: undefined, limits }))).toContain(
      "The message is too large (limit: 64 bytes).",
    );
  });
});

describe("batches", () => {
  const call = (id: number, name: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });
  const note = { jsonrpc: "2.0", method: "notifications/initialized" };

  test("requests get a response, invalid messages get an error, and notifications get no response", async () => {
    const replies = JSON.parse(await take([ping(1), note, call(2, "later"), 3, call(4, "now")])) as {
      id: unknown;
    }[];
    expect(replies.map(({ id }) => id)).toEqual([1, 2, null, 4]);
    expect(JSON.parse(await take([ping(1), ping(2)]))).toHaveLength(2);
  });

  test("a batch of notifications gets no reply", async () => {
    expect(await take([note, note])).toBe("");
  });

  test("a batch over the limit is rejected as a whole", async () => {
    const reply = await take(Array.from({ length: 101 }, (_, id) => ping(id)));
    expect(reply).toContain("The batch has 101 messages (limit: 100). Split it into smaller batches.");
    expect(JSON.parse(await take(Array.from({ length: 100 }, (_, id) => ping(id))))).toHaveLength(100);
  });

  test.each(["2024-11-05", "2025-06-18", "2025-11-25"] as const)(
    "%s does not support batches",
    async (revision) => {
      expect(await take([ping(1)], exchangeOf({ era: "legacy", revision }))).toContain(
        "This protocol version does not support batches.",
      );
    },
  );

  test("the modern era and a connection without an era do not support batches", async () => {
    expect(await take([ping(1)], exchangeOf({ era: "modern" }))).toContain(
      "This protocol version does not support batches.",
    );
    expect(await take([ping(1)], exchangeOf())).toContain("This protocol version does not support batches.");
  });

  test("without an exchange, the revision is PROTOCOL_VERSION, which supports batches", async () => {
    expect(replyText(await receive(server, JSON.stringify([ping(1)]), { context: undefined }))).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":{}}]',
    );
  });
});
