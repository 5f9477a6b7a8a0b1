import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { createClient } from "../../src/client/index.js";
import {
  connectHostile,
  connectProgram,
  openStream,
  type Received,
  REPORT_PROGRESS,
} from "../support/client/hostile-peers.js";

const MEGABYTE = 1024 * 1024;
const text = (bytes: number) => "x".repeat(bytes);

/** Asks for the roots without an end, and reads only the handshake. */
const ROOTS = `
  const { once } = require("node:events");
  process.stdin.once("data", async (chunk) => {
    process.stdin.pause();
    const { id } = JSON.parse(String(chunk));
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { capabilities: {} } }) + "\\n");
    process.stdout.on("error", () => process.exit());
    for (let sent = 0; ; sent++) {
      const request = JSON.stringify({ jsonrpc: "2.0", id: "r" + sent, method: "roots/list" }) + "\\n";
      if (!process.stdout.write(request)) await once(process.stdout, "drain");
    }
  });`;

test("a list is limited in bytes by default, over stdio too", async () => {
  const client = await connectProgram(
    `send({ id, result: { tools: [{ name: "a", description: "x".repeat(12e6) }], nextCursor: String(id) } });`,
  );
  await expect(client.listTools()).rejects.toThrow("is too large (limit: 33554432 bytes)");
});

test("requests stop being read from a program that does not read the answers", async () => {
  let answers = 0;
  const client = await createClient(
    { command: process.execPath, args: ["-e", ROOTS] },
    {
      roots: [{ uri: `file:///${text(20_000)}` }],
      trace: ({ direction, text: sent }) => {
        if (direction === "sent" && sent.includes('"roots":[')) answers++;
      },
    },
  );
  await vi.waitFor(() => expect(answers).toBeGreaterThan(10), { timeout: 20_000 });
  await sleep(1_500);
  // The pipe holds 64 KiB, and 32 answers wait for it.
  expect(answers).toBeLessThan(100);
  await client.close();
});

test("progress that was requested delays the time limit up to the total time", async () => {
  const client = await connectProgram(REPORT_PROGRESS, { limits: { maxTotalMs: 800 } });
  const onProgress = vi.fn();
  const startedAt = performance.now();
  await expect(client.callTool("a", {}, { timeoutMs: 300, onProgress })).rejects.toMatchObject({
    code: "timeout",
    message:
      "The server did not complete tools/call within 0.8 s. The option `limits.maxTotalMs` raises the limit.",
  });
  expect(performance.now() - startedAt).toBeGreaterThan(700);
  expect(onProgress).toHaveBeenCalled();
});

test("questions without an end delay the time limit only up to the total time", async () => {
  const client = await connectHostile(
    async (received) => {
      if (received.method === undefined) return void received.response.writeHead(202).end();
      const send = openStream(received);
      for (let turn = 0; !received.response.destroyed; turn++) {
        await send({ id: `s${turn}`, method: "sampling/createMessage", params: {} });
        await sleep(10);
      }
    },
    { sample: () => sleep(100, "text"), limits: { maxTotalMs: 700 } },
  );
  await expect(client.callTool("a", {}, { timeoutMs: 200 })).rejects.toThrow(
    "The server did not complete tools/call within 0.7 s.",
  );
});

test("a program that does not read its input fails further requests", async () => {
  const client = await connectProgram("lines.pause(); process.stdin.pause(); setInterval(() => {}, 1_000);", {
    limits: { maxConnectionBytes: MEGABYTE },
  });
  const failures: string[] = [];
  for (let call = 0; call < 12; call++)
    await client
      .callTool("a", { text: text(300_000) }, { timeoutMs: 50 })
      .catch((error: unknown) => failures.push(String(error)));
  expect(failures.at(-1)).toContain(
    "The program does not read its input (limit: 1048576 bytes). The option `limits.maxConnectionBytes` raises the limit.",
  );
});

test("a stream that the server ends at once, and without a delay, is resumed only a few times", async () => {
  let streams = 0;
  const attack = ({ request, method, id, response }: Received) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`id: ${++streams}\nretry: 0\ndata:\n\n`);
    } else if (method === "initialize") {
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s" });
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        serverInfo: { name: "s", version: "1" },
      };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    } else response.writeHead(202).end();
  };
  await connectHostile(attack, { revision: "2025-11-25", onNotification: () => {} });
  await sleep(700);
  expect(streams).toBeGreaterThan(0);
  expect(streams).toBeLessThanOrEqual(8);
});
