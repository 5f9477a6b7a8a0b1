/**
 * @fileoverview Server whose nodes can have different versions of Tenon. It uses only what all versions have, because the
 * same file also runs in checkouts of older ones.
 * @module tests/redis/support/versions/app
 */
import { redis } from "@tenon/redis";
import { defineServer, form, type LogSink } from "tenon";
import { toFetch } from "tenon/fetch";
import { idempotency } from "tenon/stores";
import { tasks } from "tenon/tasks";
import { z } from "zod";
import type { Endpoint } from "../../../../../tests/support/http-faces.js";

/** Secret that encrypts the records. */
const SECRET = "a secret of the fixtures with enough bytes";

/** Lifetime in milliseconds of everything that has one, so that fixtures do not expire. */
const LONG_MS = 3_000_000_000_000;

/** Options for a node. */
export interface AppOptions {
  readonly url: string;
  readonly prefix: string;
  /** Name of the node, which is the outcome of its steps. */
  readonly name: string;
  /** Time until which the tasks `report` and `careful` run. */
  readonly until?: Promise<void>;
  readonly log?: LogSink;
}

const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

/** Running node. */
export interface VersionNode {
  readonly server: Pick<ReturnType<typeof createApp>["server"], "resourceUpdated">;
  readonly endpoint: Endpoint;
}

/** Creates the server of one node, and its store. */
function createApp({ url, prefix, name, until, log = () => undefined }: AppOptions) {
  const store = redis({ url, prefix, keys: [SECRET] });
  const server = defineServer({ name: "versions", version: "1.0.0", log, state: { ttlMs: LONG_MS } })
    .use(idempotency({ store, ttlMs: LONG_MS }))
    .extension(tasks({ pollIntervalMs: 5, resultTtlMs: LONG_MS, ttlMs: null }))
    .resource("note", { uri: "test://note", handler: () => "note" })
    .resource("page", { uri: "test://page", handler: () => "page" })
    .tool("update", {
      input: z.object({ uri: z.string() }),
      handler: async ({ uri }) => {
        await server.resourceUpdated(uri);
        return "updated";
      },
    })
    .tool("count", {
      input: z.object({ to: z.int() }),
      handler: async ({ to }, call) => {
        for (let number = 1; number <= to; number++) await call.log("info", number);
        return "done";
      },
    })
    .tool("hang", {
      handler: async (_, call) => {
        await call.log("info", "started");
        return waitFor(NEVER, call.signal);
      },
    })
    .tool("pay", { handler: () => `Payment on ${name}` })
    .tool("ask", {
      handler: async (_, call) => {
        const draw = await call.once("draw", () => name);
        const answer = await call.input("name", NAME);
        return `${draw} ${answer.action === "accept" ? answer.content.name : ""}`;
      },
    })
    .tool("quick", { task: "required", handler: () => "quick" })
    .tool("greet", {
      task: "required",
      handler: async (_, call) => {
        const draw = await call.once("draw", () => name);
        const answer = await call.input("name", NAME);
        return `${draw} ${answer.action === "accept" ? answer.content.name : ""}`;
      },
    })
    .tool("report", {
      task: { mode: "required", onLostWorker: "retry" },
      handler: async (_, call) => {
        const draw = await call.once("draw", () => name);
        await call.progress(1, 2);
        await waitFor(until, call.signal);
        return draw;
      },
    })
    .tool("careful", {
      task: { mode: "required", onLostWorker: "fail" },
      handler: async (_, call) => {
        await waitFor(until, call.signal);
        return name;
      },
    })
    .build();
  return { server, store };
}

/** Opens a node, and returns what tests need of it. */
export async function openNode(options: AppOptions): Promise<VersionNode> {
  const { server, store } = createApp(options);
  const closeStore = await store.open(() => undefined);
  const handler = toFetch(server, {
    store,
    sessions: { idleMs: LONG_MS },
    authenticate: ({ header }) => {
      const principal = header("x-user");
      return typeof principal === "string" ? { auth: { principal, scopes: [] } } : {};
    },
  });
  return {
    server,
    endpoint: {
      port: 0,
      fetch: async (init, path = "/mcp") => handler(new Request(`http://localhost${path}`, init)),
      close: async () => {
        await handler.close(0);
        server.close();
        await closeStore();
      },
    },
  };
}

/** Promise that never resolves. */
export const NEVER = new Promise<void>(() => undefined);

/** Waits for a promise, or until the signal is aborted. */
async function waitFor(until: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("The node ends.")));
  });
  await Promise.race([until, aborted]);
}
