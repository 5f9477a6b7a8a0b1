/**
 * @fileoverview Measures the memory in Redis of sessions, events, and tasks, for the sizing table of the deployment
 * guide.
 * @module bench/lib/redis-sizes
 */
import { INITIALIZE, LEGACY_REVISION, MODERN_REVISION } from "./cases.js";
import { openIdleSessions } from "./http-client.js";
import type { BenchRedis } from "./redis.js";
import type { Row } from "./result.js";

const SESSIONS = 2_000;
const STREAMS = 500;
const EVENTS = 900;
const TASKS = 1_000;
const GB = 1_000_000_000;
const TEXT = "x".repeat(1_000);

/** Measures each kind of record as the growth of Redis' memory, after a warm-up. */
export async function measureSizes(port: number, redis: BenchRedis): Promise<readonly Row[]> {
  const url = `http://127.0.0.1:${port}/mcp`;
  const grownBy = async (count: number, work: () => Promise<unknown>) => {
    const before = await redis.usedBytes();
    await work();
    return ((await redis.usedBytes()) - before) / count;
  };
  await openIdleSessions(port, 100);
  await streamEvents(url, 10);
  await runTasks(url, 100);

  const session = await grownBy(SESSIONS, () => openIdleSessions(port, SESSIONS));
  const streaming = await grownBy(STREAMS, async () => {
    for (let count = 0; count < STREAMS; count++) await streamEvents(url, 1);
  });
  const event = await grownBy(EVENTS, () => streamEvents(url, EVENTS));
  const task = await grownBy(TASKS, () => runTasks(url, TASKS));
  return [
    toRow("idle session", session),
    toRow("session after a streamed call with one event of 1 kB", streaming),
    toRow("further event of 1 kB", event),
    toRow("task with 1 kB of arguments and 1 kB of result", task),
  ];
}

function toRow(server: string, bytes: number): Row {
  return { server, figures: { bytes, perGb: GB / bytes } };
}

/** Opens a session and calls a tool that sends events. They stay in Redis, so that the stream can be resumed. */
async function streamEvents(url: string, count: number): Promise<void> {
  const opened = await post(url, INITIALIZE);
  const headers = {
    "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": LEGACY_REVISION,
  };
  const params = { name: "ticks", arguments: { count, text: TEXT }, _meta: { progressToken: 1 } };
  const text = await (await post(url, toRequest("tools/call", params), headers)).text();
  const events = text.split(`"method":"notifications/progress"`).length - 1;
  if (events !== count) throw new Error(`A stream has ${events} of ${count} events.`);
}

/** Runs tasks one after the other, and waits for their results. */
async function runTasks(url: string, count: number): Promise<void> {
  const ask = async (method: string, params: Record<string, unknown>) => {
    const body = toRequest(method, { ...params, _meta: ENVELOPE });
    const name = String(params["taskId"] ?? params["name"]);
    const headers = { "mcp-protocol-version": MODERN_REVISION, "mcp-method": method, "mcp-name": name };
    const { result } = (await (await post(url, body, headers)).json()) as {
      readonly result?: Readonly<Record<string, unknown>>;
    };
    if (result === undefined) throw new Error(`There is no result of ${method}.`);
    return result;
  };
  for (let index = 0; index < count; index++) {
    const { taskId } = await ask("tools/call", { name: "keep", arguments: { text: TEXT } });
    while ((await ask("tasks/get", { taskId }))["status"] === "working");
  }
}

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

function toRequest(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function post(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  });
}
