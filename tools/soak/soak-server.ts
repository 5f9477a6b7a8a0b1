/**
 * @fileoverview MCP server of the soak test: tools for every kind of call that can leave something behind.
 * @module tools/soak/soak-server
 */
import { EventEmitter, once } from "node:events";
import { createServer } from "node:net";
import { type Call, defineServer, form, type Server } from "tenon";
import { idempotency } from "tenon/stores";
import { tasks } from "tenon/tasks";
import { z } from "zod";
import type { Break } from "./breaks.js";
import { createShares } from "./shares.js";

/** Time in milliseconds that a finished task can be read. Short, so that finished tasks do not count as a leak. */
const RESULT_MS = 4_000;

/** Time in milliseconds for which a handler runs although its task was cancelled. It is abandoned after ten seconds. */
const STUBBORN_MS = 11_000;

/** One of this many calls has the fault, if the server has one. */
const FAULTY_CALLS = 3;

/** MCP server, and what it counts. */
export interface SoakServer {
  readonly server: Server;
  /** Counts handlers that run now, and what is in use of the shares. */
  readonly count: () => Promise<Readonly<Record<string, number>>>;
  /** Emitter that all calls share. */
  readonly shared: EventEmitter;
}

/** Creates the server. */
export function createSoakServer(faults: ReadonlySet<Break>): SoakServer {
  const shares = createShares();
  const state = { running: 0, shared: new EventEmitter(), ended: new Set<string>() };
  state.shared.setMaxListeners(0);
  const fault = createFault(faults);
  const counted =
    <Input>(handler: (input: Input, call: Call) => Promise<string> | string) =>
    async (input: Input, call: Call): Promise<string> => {
      state.running++;
      try {
        return await handler(input, call);
      } finally {
        state.running--;
      }
    };
  const server = defineServer({ name: "soak", version: "1.0.0", log: () => undefined })
    .use(idempotency({ store: shares.values, ttlMs: RESULT_MS }))
    .extension(
      tasks({
        engine: shares.engine,
        ttlMs: null,
        resultTtlMs: RESULT_MS,
        pollIntervalMs: 50,
        closeGraceMs: 0,
      }),
    )
    .tool("echo", {
      input: TEXT,
      handler: ({ text }) => fault()?.then(() => text) ?? text,
    })
    .tool("add", {
      input: z.object({ a: z.number(), b: z.number() }),
      output: z.object({ sum: z.number() }),
      handler: ({ a, b }) => ({ sum: a + b }),
    })
    .tool("large", { input: z.object({ length: z.int() }), handler: ({ length }) => "x".repeat(length) })
    .tool("fail", {
      handler: () => {
        throw new Error("an internal detail");
      },
    })
    .tool("count", {
      input: z.object({ to: z.int(), ms: z.number() }),
      handler: counted(async ({ to, ms }, call) => {
        for (let number = 1; number <= to; number++) {
          await call.progress(number, to);
          await wait(ms, call);
        }
        return `counted to ${to}`;
      }),
    })
    .tool("ask", {
      input: TEXT,
      handler: counted(async ({ text }, call) => `${text} ${await ask(call)}`),
    })
    .tool("wait", {
      input: z.object({ text: z.string(), ms: z.number().default(60_000) }),
      handler: counted(async ({ text, ms }, call) => {
        try {
          await call.progress(1);
          await wait(ms, call);
          return "was not cancelled";
        } finally {
          // An empty text means that nobody asks for the end of the call.
          if (text !== "") state.ended.add(text);
          state.shared.emit("ended");
        }
      }),
    })
    .tool("ended", {
      input: TEXT,
      handler: counted(async ({ text }, call) => {
        while (!state.ended.delete(text)) await once(state.shared, "ended", { signal: call.signal });
        return "ended";
      }),
    })
    .tool("touch", {
      input: TEXT,
      handler: ({ text }) => {
        void server.resourceUpdated(text);
        return "touched";
      },
    })
    .tool("renew", {
      handler: () => {
        server.update((editor) => editor.removeTool("renewed").tool("renewed", { handler: () => "renewed" }));
        return "renewed";
      },
    })
    .tool("renewed", { handler: () => "renewed" })
    .tool("job", {
      task: { mode: "required" },
      input: z.object({ text: z.string(), ms: z.number(), asks: z.boolean() }),
      handler: counted(async ({ text, ms, asks }, call) => {
        await call.progress(1, 2, "half");
        const answer = asks ? ` ${await ask(call)}` : "";
        await wait(ms, call);
        return `${text}${answer}`;
      }),
    })
    .tool("stubborn", {
      task: { mode: "required" },
      handler: counted(async (_args, call) => {
        await new Promise((resolve) => setTimeout(resolve, STUBBORN_MS));
        return call.signal.aborted ? "ignored its signal" : "was not cancelled";
      }),
    })
    .resource("news", { uri: "soak://news", handler: () => "Nothing new" })
    .resourceTemplate("page", {
      uriTemplate: "soak://page/{number}",
      complete: { number: (typed) => ["10", "11", "20"].filter((number) => number.startsWith(typed)) },
      handler: ({ number }) => `Page ${number}`,
    })
    .prompt("greet", {
      arguments: z.object({ name: z.string() }),
      handler: ({ name }) => `Greet ${name}.`,
    })
    .build();
  const count = async () => ({ "running handlers": state.running, ...(await shares.count()) });
  return { server, count, shared: state.shared };
}

const TEXT = z.object({ text: z.string() });

async function ask(call: Call): Promise<string> {
  const schema = z.object({ word: z.string() });
  const answer = await call.input("word", form({ message: "Which word?", schema }));
  return answer.action === "accept" ? answer.content.word : answer.action;
}

/** Waits, and rejects if the call is cancelled. Both the timer and the listener are removed in every case. */
function wait(ms: number, call: Call): Promise<void> {
  const { signal } = call;
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
}

/** Memory that the fault `heap` keeps. */
const kept: number[][] = [];

/** Number of array elements that the fault keeps at once, four megabytes, and the shortest time between two of them. */
const KEPT_ELEMENTS = 524_288;
const KEPT_EVERY_MS = 1_000;

/** Creates the function that `echo` runs first. It returns a promise that never settles if a response is dropped. */
function createFault(faults: ReadonlySet<Break>): () => Promise<never> | undefined {
  let calls = 0;
  let nextKept = 0;
  if (faults.has("listener")) process.setMaxListeners(0);
  return () => {
    if (faults.has("heap") && performance.now() > nextKept) {
      nextKept = performance.now() + KEPT_EVERY_MS;
      kept.push(Array.from({ length: KEPT_ELEMENTS }, () => calls));
    }
    if (++calls % FAULTY_CALLS !== 0) return undefined;
    if (faults.has("handle")) createServer().listen(0, "127.0.0.1");
    if (faults.has("timer")) setTimeout(() => undefined, 2 ** 30).unref();
    if (faults.has("listener")) process.on("warning", () => undefined);
    return faults.has("reply") ? new Promise<never>(() => undefined) : undefined;
  };
}
