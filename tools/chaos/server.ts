/**
 * @fileoverview Node of the chaos test: a server whose handlers write what they do to a journal, which survives the
 * process. Its only argument is a JSON text with `NodeSettings`.
 * @module tools/chaos/server
 */
import cluster from "node:cluster";
import { existsSync, openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { redis } from "@tenon/redis";
import { type Call, defineServer, form, type Server } from "tenon";
import { serve } from "tenon/node";
import { createMemoryStore, idempotency } from "tenon/stores";
import { tasks } from "tenon/tasks";
import { z } from "zod";
import { formatLine, type JournalLine } from "./journal.js";
import type { NodeSettings } from "./settings.js";

const settings = JSON.parse(process.argv[2] ?? "{}") as NodeSettings; // Safe: the parent process wrote it
const journal = openSync(settings.journal, "a");
// A node must not outlive the test, however the test ends.
process.on("disconnect", () => process.exit(1));

const { redisUrl, redisNodes, ca, prefix, keys, workers, drainMs, newTool } = settings;
const store =
  redisUrl === undefined && redisNodes === undefined
    ? undefined
    : redis({
        ...(redisUrl === undefined ? {} : { url: redisUrl }),
        ...(redisNodes === undefined ? {} : { cluster: redisNodes }),
        ...(ca === undefined ? {} : { tls: { ca } }),
        prefix,
        keys,
        events: { maxEvents: 5_000 },
      });

const WORK = z.object({ n: z.int(), ms: z.number() });
type Work = z.infer<typeof WORK>;

function note(kind: JournalLine["kind"], call: Call, { n, step = "" }: { n: number; step?: string }): void {
  const line: JournalLine = { kind, at: Date.now(), pid: process.pid, taskId: call.taskId ?? "", n, step };
  writeSync(journal, formatLine(line));
}

/** Text that only this caller, tool, and arguments result in. */
function resultOf(tool: string, call: Call, n: number): string {
  return `${call.auth?.principal ?? "nobody"} ${tool} ${n}`;
}

/** Notes the start and the end of every run. Only a run whose process was killed has no end. */
const noted = (handler: (input: Work, call: Call) => Promise<string>) => async (input: Work, call: Call) => {
  note("begin", call, input);
  try {
    return await handler(input, call);
  } finally {
    note("end", call, input);
  }
};

async function wait(ms: number, call: Call): Promise<void> {
  await sleep(ms, undefined, { signal: call.signal });
}

const retry = { mode: "required", onLostWorker: "retry", maxLostWorkers: 1_000 } as const;
const fail = { mode: "required", onLostWorker: "fail" } as const;

const builder = defineServer({ name: "chaos", version: "1.0.0" })
  .extension(
    tasks({
      maxTasks: 200_000,
      maxTasksPerPrincipal: 100_000,
      concurrencyPerPrincipal: 64,
      pollIntervalMs: 100,
      closeGraceMs: 0,
    }),
  )
  .use(idempotency({ store: store ?? createMemoryStore() }))
  .resourceTemplate("update", {
    uriTemplate: "chaos://update/{slot}/{number}",
    handler: ({ number }) => number,
  })
  .tool("work", {
    task: retry,
    input: WORK,
    handler: noted(async ({ n, ms }, call) => {
      await call.progress(1, 2);
      await wait(ms, call);
      return resultOf("work", call, n);
    }),
  })
  .tool("fragile", {
    task: fail,
    input: WORK,
    handler: noted(async ({ n, ms }, call) => {
      await wait(ms, call);
      return resultOf("fragile", call, n);
    }),
  })
  .tool("steps", {
    task: retry,
    input: WORK,
    handler: noted(async ({ n, ms }, call) => {
      const results: string[] = [];
      for (const step of ["reserve", "pay", "ship"]) {
        const text = await call.once(step, async () => {
          note("step", call, { n, step });
          await wait(ms / 3, call);
          return `${step}-${n}`;
        });
        results.push(text);
      }
      return `${resultOf("steps", call, n)} ${results.join(" ")}`;
    }),
  })
  .tool("ask", {
    task: retry,
    input: WORK,
    handler: noted(async ({ n, ms }, call) => {
      note("ask", call, { n });
      const schema = z.object({ word: z.string() });
      const answer = await call.input("word", form({ message: `Word ${n}?`, schema }));
      await wait(ms, call);
      return `${resultOf("ask", call, n)} ${answer.action === "accept" ? answer.content.word : answer.action}`;
    }),
  })
  .tool("echo", {
    input: z.object({ text: z.string() }),
    handler: ({ text }, call) => {
      note("echo", call, { n: 0, step: text });
      return `${call.auth?.principal ?? "nobody"} ${text} ${process.pid}`;
    },
  })
  .tool("count", {
    input: z.object({ to: z.int(), ms: z.number() }),
    async handler({ to, ms }, call) {
      for (let number = 1; number <= to; number++) {
        await call.progress(number, to);
        await wait(ms, call);
      }
      return `counted to ${to}`;
    },
  })
  .tool("hold", {
    input: z.object({ key: z.string() }),
    async handler({ key }, call) {
      await call.progress(1, 2);
      while (!existsSync(`${settings.journal}.${key}`)) await wait(20, call);
      return `held ${key}`;
    },
  })
  .tool("touch", {
    input: z.object({ uri: z.string() }),
    async handler({ uri }) {
      await server.resourceUpdated(uri);
      return "touched";
    },
  })
  .tool("mention", {
    input: z.object({ uri: z.string() }),
    handler: ({ uri }) => {
      // The response waits for the update although the handler does not.
      void server.resourceUpdated(uri);
      return "mentioned";
    },
  });
if (newTool !== undefined) builder.tool(newTool, { handler: () => "new" });
const server: Server = builder.build();

const running = await serve(server, {
  port: settings.port,
  ...(store === undefined ? {} : { store }),
  ...(workers === undefined ? {} : { workers }),
  ...(drainMs === undefined ? { signals: false } : { drainMs }),
  banner: false,
  retryMs: 50,
  sessions: { streams: { maxEvents: 5_000, maxLength: 10_000_000 } },
  authenticate: ({ header }) => {
    const principal = /^Bearer (\S+)$/.exec(header("authorization") ?? "")?.[1];
    if (principal === undefined) return { status: 401, message: "A principal is required." };
    return { auth: { principal, scopes: [] } };
  },
});
// Workers report to the first process, not to the test.
if (cluster.isPrimary) {
  process.send?.("ready");
  void running.closed.then(() => process.exit());
}
