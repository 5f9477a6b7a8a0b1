/**
 * @fileoverview Callers that take all tasks and stored results that they can get. Others must still be served.
 * @module tools/attack/scenarios/greedy
 */
import { defineServer, type Server } from "tenon";
import { createMemoryStore, idempotency } from "tenon/stores";
import { tasks } from "tenon/tasks";
import { z } from "zod";
import { type Endpoint, openEndpoints } from "../clients/endpoints.js";
import { modernRequest } from "../clients/messages.js";
import type { AttackContext } from "../context.js";

/** Maximum number of tasks, and of bytes of results. */
const MAX_TASKS = 200;
const MAX_BYTES = 1_000_000;

/** Requests of each greedy caller, and the largest part of a limit that one of them may get. */
const REQUESTS = 100;
const PART = 0.3;

const CROWDS = [["eve"], ["e1", "e2", "e3"]] as const;
const OTHERS = ["ada", "bob", "cyd"];
const TEXT = "x".repeat(10_000);

/** Runs the attack: with one greedy caller, and with three. */
export async function greedy({ figures, print }: AttackContext): Promise<void> {
  const counts = { tasks: 0, results: 0, rejected: 0, locked: 0 };
  for (const crowd of CROWDS) {
    for (const endpoint of await openEndpoints(createServer, { authenticate })) {
      try {
        for (const [kind, send] of [
          ["tasks", createTask],
          ["results", callWithKey],
        ] as const) {
          const taken = await Promise.all(crowd.map((caller) => takeAll(endpoint, caller, send)));
          counts[kind] = Math.max(counts[kind], ...taken);
          counts.rejected += crowd.length * REQUESTS - taken.reduce((sum, count) => sum + count, 0);
          for (const other of OTHERS) {
            if (await send(endpoint, other, "first")) continue;
            counts.locked++;
            print(`${endpoint.name}: ${other} got none of the ${kind}`);
          }
        }
      } finally {
        await endpoint.close();
      }
    }
  }
  figures.atLeast("requests of greedy callers that are rejected", counts.rejected, REQUESTS);
  figures.exactly("requests of other callers that are rejected", counts.locked, 0);
  const share = Math.max(counts.tasks / MAX_TASKS, (counts.results * TEXT.length) / MAX_BYTES);
  figures.percent("largest part of a limit that one caller gets", share, PART);
}

function createServer(): Server {
  const store = createMemoryStore({ values: { maxTotalBytes: MAX_BYTES } });
  return defineServer({ name: "greedy", version: "1.0.0", log: () => undefined })
    .extension(tasks({ maxTasks: MAX_TASKS, maxTasksPerPrincipal: 10_000, closeGraceMs: 0 }))
    .use(idempotency({ store }))
    .tool("task", { task: "required", handler: () => "done" })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .build();
}

function authenticate({ header }: { readonly header: (name: string) => string | null | undefined }) {
  return { auth: { principal: header("x-user") ?? "nobody", scopes: [] } };
}

type Send = (endpoint: Endpoint, caller: string, key: string) => Promise<boolean>;

/** Sends all requests of a greedy caller. Returns the number of those that succeeded. */
async function takeAll(endpoint: Endpoint, caller: string, send: Send): Promise<number> {
  const outcomes = Array.from({ length: REQUESTS }, (_, at) => send(endpoint, caller, `key-${at}`));
  return (await Promise.all(outcomes)).filter((isTaken) => isTaken).length;
}

const createTask: Send = async (endpoint, caller) => {
  const params = { name: "task", arguments: {} };
  const { body } = await endpoint.send(modernRequest("tools/call", params, { more: [["x-user", caller]] }));
  return body.includes('"taskId"');
};

const callWithKey: Send = async (endpoint, caller, key) => {
  const params = { name: "echo", arguments: { text: TEXT } };
  const more = [
    ["x-user", caller],
    ["Idempotency-Key", key],
  ] as const;
  const { body } = await endpoint.send(modernRequest("tools/call", params, { more }));
  return body.includes(TEXT);
};
