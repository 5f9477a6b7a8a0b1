/**
 * @fileoverview Opens many idle sessions in this process, lets them expire, and prints the heap sizes.
 * @module tools/load/idle-sessions
 */
import { defineServer } from "tenon";
import { toFetch } from "tenon/fetch";

const count = Number(process.argv[2]);
let now = 0;
const sweeps: (() => void)[] = [];
const server = defineServer({ name: "sessions", version: "1" })
  .tool("noop", { handler: () => "ok" })
  .build();
const handler = toFetch(server, {
  sessions: { idleMs: 60_000, maxSessions: count },
  ports: {
    now: () => now,
    startTimer(task) {
      sweeps.push(task);
      return () => {};
    },
  },
});

const message = (id: number | undefined, method: string) => JSON.stringify({ jsonrpc: "2.0", id, method });
const post = (body: string, session?: string) =>
  handler(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      },
      body,
    }),
  );
/** Collects garbage until finalizers have nothing left to release. */
const heap = async () => {
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return process.memoryUsage().heapUsed;
};

const open = async () => {
  const response = await post(message(1, "initialize"));
  await response.text();
  return response.headers.get("mcp-session-id") ?? "";
};
const sweep = () => {
  now += 61_000;
  for (const task of sweeps.splice(0)) task();
};

// Compiled code and the capacity of collections do not count toward the sessions.
for (let index = 0; index < count; index++) await open();
sweep();
const before = await heap();
const sample: string[] = [];
for (let index = 0; index < count; index++) {
  const session = await open();
  if (index % 100 === 0) sample.push(session);
}
const withSessions = await heap();
sweep();
const after = await heap();
let left = 0;
for (const session of sample) left += (await post(message(2, "ping"), session)).status === 404 ? 0 : 1;
process.stdout.write(JSON.stringify({ before, withSessions, after, left }));
