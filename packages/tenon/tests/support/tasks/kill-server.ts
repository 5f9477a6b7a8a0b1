/**
 * @fileoverview A stdio server with durable tasks, for tests that kill it. It appends what its handlers do to a file, so
 * that the test knows it after the process has ended: `node kill-server.mjs DIRECTORY SIDE_FILE SYNC`.
 * @module tests/tenon/support/tasks/kill-server
 */
import { parseOptions } from "@tenon/internal/options/define-options";
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type Call, defineServer, form } from "tenon";
import { tasks } from "tenon/tasks";
import { DirectoryTaskLog } from "../../../src/tasks/directory/directory-log.js";
import { EmbeddedTaskEngine } from "../../../src/tasks/engine/embedded-engine.js";
import { ENGINE_OPTIONS } from "../../../src/tasks/engine/engine-options.js";
import { serveStdio } from "../../../src/transport/stdio/serve-stdio.js";

const [, , directory = "", sideFile = "", sync = ""] = process.argv;

const INPUT = z.object({ id: z.string(), ms: z.number() });
type Input = z.infer<typeof INPUT>;

const note = (what: string, id: string) => appendFileSync(sideFile, `${what} ${id}\n`);

/** Asks a question and returns the answer's text. */
async function ask(call: Call, key: string): Promise<string> {
  const answer = await call.input(key, form({ message: key, schema: z.object({ text: z.string() }) }));
  return answer.action === "accept" ? answer.content.text : answer.action;
}

/** Notes the start and the end of every run of a handler. */
const noted =
  (handler: (input: Input, call: Call) => Promise<string>) => async (input: Input, call: Call) => {
    note("start", input.id);
    try {
      return await handler(input, call);
    } finally {
      note("end", input.id);
    }
  };

const retry = { mode: "required", onLostWorker: "retry", maxLostWorkers: 1_000_000 } as const;
const fail = { mode: "required", onLostWorker: "fail" } as const;

const wait = noted(async ({ id, ms }, call) => {
  await call.progress(1, 2, `half of ${id}`);
  await sleep(ms);
  return id;
});

const questions = noted(async ({ id, ms }, call) => {
  const first = await ask(call, "first");
  await sleep(ms);
  const second = await ask(call, "second");
  return `${id} ${first} ${second}`;
});

const server = defineServer({ name: "kill", version: "1.0.0", log: () => undefined })
  .extension(
    tasks({
      engine: new EmbeddedTaskEngine(parseOptions(ENGINE_OPTIONS, {}), {
        // Small, so that the log is often replaced.
        log: new DirectoryTaskLog(directory, { sync: sync === "sync", minCompaction: 32_768 }),
      }),
      progressIntervalMs: 0,
      closeGraceMs: 0,
    }),
  )
  .tool("wait-retry", { task: retry, input: INPUT, handler: wait })
  .tool("wait-fail", { task: fail, input: INPUT, handler: wait })
  .tool("ask-retry", { task: retry, input: INPUT, handler: questions })
  .tool("ask-fail", { task: fail, input: INPUT, handler: questions })
  .tool("ask-together", {
    task: retry,
    input: INPUT,
    handler: noted(async ({ id }, call) => {
      const answers = await Promise.all([ask(call, "first"), ask(call, "second")]);
      return `${id} ${answers.join(" ")}`;
    }),
  })
  .tool("steps", {
    task: retry,
    input: INPUT,
    handler: noted(async ({ id, ms }, call) => {
      const paid = await call.once("pay", async () => {
        note("pay", id);
        await sleep(ms / 4);
        return `paid-${id}`;
      });
      const first = await ask(call, "first");
      const drawn = await call.once(
        "draw",
        async () => {
          await sleep(ms / 4);
          return `drawn-${id}`;
        },
        { retry: true },
      );
      return `${id} ${first} ${paid} ${drawn}`;
    }),
  })
  .tool("endless", {
    task: retry,
    input: INPUT,
    handler: noted(async ({ id }, call) => {
      await sleep(3_600_000, undefined, { signal: call.signal });
      return id;
    }),
  })
  .build();

serveStdio(server, { input: process.stdin, output: process.stdout, onError: () => undefined });
