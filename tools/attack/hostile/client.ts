/**
 * @fileoverview Client process that is attacked: `node client.ts ACTION URL|COMMAND ARGS…`. It prints the outcome as
 * JSON, and ends. A process that was ended by the attack prints nothing.
 * @module tools/attack/hostile/client
 */
import { setTimeout as sleep } from "node:timers/promises";
import { connectMcpServer } from "@tenon/agent";
import { type Client, createClient, type RemoteClientOptions, type RemoteServer } from "tenon/client";

const [action = "", target = "", ...args] = process.argv.slice(2);
const server: RemoteServer = target.startsWith("http") ? target : { command: target, args };

/** Time limits for a call in milliseconds. The longer one lets an attack fill the memory on a busy machine too. */
const CALL_MS = 3_000;
const LONG_CALL_MS = 10_000;

const open = (options: RemoteClientOptions = {}) => createClient(server, { timeoutMs: 20_000, ...options });

/** Runs work with a client, and closes it. */
async function withClient<T>(
  run: (client: Client) => Promise<T>,
  options: RemoteClientOptions = {},
): Promise<T> {
  const client = await open(options);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

/** Runs calls at the same time. Rejects with the different reasons of all failures. */
async function callOften(clients: readonly Client[], times: number): Promise<void> {
  const calls = clients.flatMap((client) =>
    Array.from({ length: times }, () => client.callTool("a", {}, { timeoutMs: LONG_CALL_MS })),
  );
  const reasons = (await Promise.allSettled(calls)).flatMap((one) =>
    one.status === "rejected" ? [String(one.reason)] : [],
  );
  throw new Error([...new Set(reasons)].join(" | "));
}

/** Calls a program with large arguments that it does not read. */
async function callDeaf(client: Client): Promise<void> {
  let last: unknown;
  for (let call = 0; call < 200; call++) {
    last = await client
      .callTool("a", { text: "x".repeat(1_000_000) }, { timeoutMs: 10 })
      .catch((error: unknown) => error);
  }
  throw last;
}

/** Number of connections whose handshakes of 15 MB together exceed a heap of 128 MB. */
const CONNECTIONS = 10;

/** Connects many clients, one after the other, and keeps those that are connected. */
async function connectOften(): Promise<void> {
  const clients: Client[] = [];
  let last: unknown;
  for (let time = 0; time < CONNECTIONS; time++)
    await open().then(
      (client) => clients.push(client),
      (error: unknown) => (last = error),
    );
  if (clients.length === 0) throw last;
}

/** Connects an agent, and waits while the server reports changes of its tools. */
async function connectAgent(): Promise<void> {
  const options = target.startsWith("http") ? { url: target } : { command: target, args };
  const agent = await connectMcpServer(options);
  await sleep(CALL_MS);
  await agent.close();
  throw new Error("The agent is still connected.");
}

const ACTIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  list: () => withClient((client) => client.listTools()),
  call: () =>
    withClient((client) => client.callTool("a", {}, { timeoutMs: CALL_MS }), {
      sample: () => sleep(50, "text"),
      roots: [],
      limits: { maxTotalMs: 2 * CALL_MS },
    }),
  wait: () => withClient((client) => client.callTool("a", {}, { timeoutMs: LONG_CALL_MS })),
  progress: () =>
    withClient((client) => client.callTool("a", {}, { timeoutMs: 500, onProgress: () => {} }), {
      limits: { maxTotalMs: CALL_MS },
    }),
  task: () =>
    withClient((client) => client.callTool("a", {}, { timeoutMs: CALL_MS, onStatus: () => {} }), {
      limits: { maxTotalMs: CALL_MS },
    }),
  questions: () =>
    withClient((client) => client.callTool("a", {}, { timeoutMs: LONG_CALL_MS }), {
      input: () => ({ action: "decline" }),
    }),
  connect: connectOften,
  calls: () => withClient((client) => callOften([client], 64)),
  clients: async () => {
    const clients = await Promise.all(Array.from({ length: 12 }, () => open()));
    try {
      await callOften(clients, 8);
    } finally {
      await Promise.all(clients.map((client) => client.close()));
    }
  },
  deaf: () => withClient(callDeaf),
  agent: connectAgent,
};

const startedAt = performance.now();
const outcome = await ACTIONS[action]?.().then(
  () => "The attack had no effect.",
  (error: unknown) => (error instanceof Error ? error.message : String(error)),
);
const report = { message: outcome ?? `Unknown action ${action}.`, ms: performance.now() - startedAt };
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit());
