import { getEventListeners } from "node:events";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Call } from "../../src/core/call/call.js";
import { Connection } from "../../src/core/wire/connection.js";
import { defineServer } from "../../src/core/define-server.js";
import type { Exchange } from "../../src/core/wire/exchange.js";
import { extension } from "../../src/core/definitions/extension.js";
import type { LogEntry } from "../../src/core/wire/log.js";
import type { McpResponse } from "../../src/core/wire/response.js";
import type { JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { McpError, META, type RequestId, REVISIONS } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import { openMemoryTransport } from "../../src/transport/memory/memory-transport.js";

const INFO = { name: "cancellation", version: "1.0.0" };
const ENVELOPE = { [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: { roots: {} } };

/** Handler that ends when the test calls `finish`. */
class Work {
  readonly calls: Call[] = [];
  readonly #ends: ((text: string) => void)[] = [];

  /** Waits for `finish`. */
  readonly handler = (call: Call): Promise<string> => {
    this.calls.push(call);
    return new Promise((resolve) => this.#ends.push(resolve));
  };

  get signals(): readonly AbortSignal[] {
    return this.calls.map((call) => call.signal);
  }

  finish(index = 0): void {
    this.#ends[index]?.("done");
  }
}

const serverOf = (handler: (call: Call) => unknown, options = {}) =>
  defineServer({ ...INFO, ...options })
    .tool("work", { input: z.object({}), handler: (_, call) => handler(call) as string })
    .build();

const legacyExchange = (signal?: AbortSignal): Exchange => ({
  connection: new Connection({ era: "legacy" }),
  signal,
});

const callOf = (id: RequestId, params: JsonObject = {}) => ({
  jsonrpc: "2.0" as const,
  id,
  method: "tools/call",
  params: { name: "work", ...params },
});

const cancelOf = (params: JsonObject | undefined) => ({
  jsonrpc: "2.0" as const,
  method: "notifications/cancelled",
  ...(params === undefined ? {} : { params }),
});

/** Returns the state that a client holds after a question. */
function stateOf(response: McpResponse): string {
  const { requestState } = (response.intoJsonRpc()?.result ?? {}) as { readonly requestState?: string };
  if (requestState === undefined) throw new Error("the reply asks nothing");
  return requestState;
}

const all = (replies: readonly MaybePromise<McpResponse>[]) =>
  Promise.all(replies.map(async (reply) => reply));
const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;
/** Waits until pending tasks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("notifications/cancelled", () => {
  test.each([
    ["a tool", "tools/call", { name: "work" }],
    ["a resource", "resources/read", { uri: "test://work" }],
    ["a prompt", "prompts/get", { name: "work" }],
    ["an extension's method", "example/work", {}],
  ])("R47: ends %s without a response and aborts its signal", async (_, method, params) => {
    const work = new Work();
    const server = defineServer(INFO)
      .tool("work", { handler: (_, call) => work.handler(call) })
      .resource("work", { uri: "test://work", handler: (_, call) => work.handler(call) })
      .prompt("work", { handler: (_, call) => work.handler(call) })
      .extension(
        extension({
          id: "com.example/work",
          methods: {
            "example/work": {
              eras: ["legacy"],
              handler: async (_, call) => ({ text: await work.handler(call) }),
            },
          },
        }),
      )
      .build();
    const exchange = legacyExchange();
    const reply = server.handle({ jsonrpc: "2.0", id: 1, method, params }, undefined, exchange);
    const noted = await server.handle(
      cancelOf({ requestId: 1, reason: "changed my mind" }),
      undefined,
      exchange,
    );
    expect([noted.kind, noted.toText(), noted.status]).toEqual(["notification", "", 202]);
    const response = await reply;
    expect([response.kind, response.toText(), response.status]).toEqual(["notification", "", 202]);
    expect(work.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(work.signals[0]?.reason).toMatchObject({
      name: "AbortError",
      message: "The client cancelled the call: changed my mind",
    });
    expect(exchange.connection.callsInFlight).toBe(0);
  });

  test("does not wait for a handler that ignores its signal, and drops its result", async () => {
    const work = new Work();
    const frames: string[] = [];
    const wire = openMemoryTransport(serverOf(work.handler), {
      context: undefined,
      onFrame: (frame) => frames.push(frame),
    });
    const sent = wire.send(JSON.stringify(callOf(1)));
    await settled();
    await wire.send(JSON.stringify(cancelOf({ requestId: 1 })));
    await sent;
    work.finish();
    await settled();
    expect(frames).toEqual([]);
  });

  test("is ignored after a call has ended", async () => {
    const work = new Work();
    const server = serverOf(work.handler);
    const exchange = legacyExchange();
    const reply = server.handle(callOf(1), undefined, exchange);
    work.finish();
    expect((await reply).kind).toBe("result");
    const response = await server.handle(cancelOf({ requestId: 1 }), undefined, exchange);
    expect(response.kind).toBe("notification");
    expect(work.signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test.each<[string, JsonObject | undefined]>([
    ["an unknown id", { requestId: 2 }],
    ["the id as a different JSON type", { requestId: "1" }],
    ["an id of null", { requestId: null }],
    ["an id that is an object", { requestId: { id: 1 } }],
    ["no id", {}],
    ["no params", undefined],
  ])("with %s does not cancel a call", async (_, params) => {
    const work = new Work();
    const server = serverOf(work.handler);
    const exchange = legacyExchange();
    const reply = server.handle(callOf(1), undefined, exchange);
    expect((await server.handle(cancelOf(params), undefined, exchange)).kind).toBe("notification");
    work.finish();
    expect((await reply).kind).toBe("result");
  });

  test("only affects its own connection", async () => {
    const work = new Work();
    const server = serverOf(work.handler);
    const [mine, other] = [legacyExchange(), legacyExchange()];
    const replies = [mine, other].map((exchange) => server.handle(callOf(1), undefined, exchange));
    await server.handle(cancelOf({ requestId: 1 }), undefined, mine);
    work.finish(1);
    expect((await all(replies)).map(({ kind }) => kind)).toEqual(["notification", "result"]);
  });

  test.each(REVISIONS)("is sent when a client aborts, in %s", async (revision) => {
    const work = new Work();
    const client = await createClient(serverOf(work.handler), { revision });
    const controller = new AbortController();
    const result = client.callTool("work", {}, { signal: controller.signal });
    await settled();
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    await settled();
    expect(work.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("cancels a call while its state is being opened", async () => {
    let runs = 0;
    const server = serverOf(async (call) => {
      runs++;
      await call.roots("where");
      return "done";
    });
    const exchange: Exchange = { connection: new Connection({ era: "modern" }) };
    const asked = await server.handle(callOf(1, { _meta: ENVELOPE }), undefined, exchange);
    const requestState = stateOf(asked);
    const inputResponses = { where: { roots: [] } };
    const retry = callOf(2, { _meta: ENVELOPE, requestState, inputResponses });
    const reply = server.handle(retry, undefined, exchange);
    await server.handle(cancelOf({ requestId: 2 }), undefined, exchange);
    expect((await reply).kind).toBe("notification");
    expect(runs).toBe(1);
    expect(exchange.connection.callsInFlight).toBe(0);
  });

  test("is not logged as a failure if the handler stops", async () => {
    const entries: LogEntry[] = [];
    const server = serverOf(
      (call) =>
        new Promise((_resolve, reject) => {
          call.signal.addEventListener("abort", () => reject(call.signal.reason as Error));
        }),
      { log: (entry: LogEntry) => entries.push(entry) },
    );
    const exchange = legacyExchange();
    const reply = server.handle(callOf(1), undefined, exchange);
    await server.handle(cancelOf({ requestId: 1 }), undefined, exchange);
    expect((await reply).kind).toBe("notification");
    await settled();
    expect(entries).toEqual([]);
  });
});

describe("a disconnected client", () => {
  test("cancels the call with the transport's reason", async () => {
    const work = new Work();
    const gone = new AbortController();
    const exchange = legacyExchange(gone.signal);
    const reply = serverOf(work.handler).handle(callOf(1), undefined, exchange);
    const reason = new Error("socket closed");
    gone.abort(reason);
    expect((await reply).kind).toBe("notification");
    expect(work.signals[0]?.reason).toBe(reason);
    expect([exchange.connection.callsInFlight, listeners(gone.signal)]).toEqual([0, 0]);
  });

  test("before the call starts: the handler never runs", async () => {
    let runs = 0;
    const server = defineServer(INFO)
      .tool("work", { handler: () => `${++runs}` })
      .resource("work", { uri: "test://work", handler: () => `${++runs}` })
      .prompt("work", { handler: () => `${++runs}` })
      .build();
    const exchange = legacyExchange(AbortSignal.abort());
    for (const [method, params] of [
      ["tools/call", { name: "work" }],
      ["resources/read", { uri: "test://work" }],
      ["prompts/get", { name: "work" }],
    ] as const) {
      const response = await server.handle({ jsonrpc: "2.0", id: 1, method, params }, undefined, exchange);
      expect(response.kind).toBe("notification");
    }
    expect(runs).toBe(0);
  });

  test("while the call's state is being opened: the handler does not run again", async () => {
    let runs = 0;
    const server = serverOf(async (call) => {
      runs++;
      await call.roots("where");
      return "done";
    });
    const gone = new AbortController();
    const exchange: Exchange = { connection: new Connection({ era: "modern" }), signal: gone.signal };
    const asked = await server.handle(callOf(1, { _meta: ENVELOPE }), undefined, exchange);
    const requestState = stateOf(asked);
    const reply = server.handle(callOf(2, { _meta: ENVELOPE, requestState }), undefined, exchange);
    gone.abort();
    expect((await reply).kind).toBe("notification");
    expect(runs).toBe(1);
  });

  test("before the handler returns its promise: the call is cancelled", async () => {
    const gone = new AbortController();
    const signals: AbortSignal[] = [];
    const server = serverOf(async (call) => {
      signals.push(call.signal);
      gone.abort(new Error("broken pipe")); // as a transport does when the first notification fails
      await settled();
      return "done";
    });
    const exchange = legacyExchange(gone.signal);
    const response = await server.handle(callOf(1), undefined, exchange);
    expect(response.kind).toBe("notification");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect([exchange.connection.callsInFlight, listeners(gone.signal)]).toEqual([0, 0]);
  });

  describe("on a transport with onGone", () => {
    /** Exchange of a transport that must not be asked for a signal, and its watching calls. */
    const watchedExchange = () => {
      const tasks = new Set<(reason: unknown) => void>();
      const exchange: Exchange = {
        connection: new Connection({ era: "legacy" }),
        onGone(task) {
          tasks.add(task);
          return () => void tasks.delete(task);
        },
        isGone: false,
        get signal(): AbortSignal {
          throw new Error("A signal was created.");
        },
      };
      return { exchange, tasks };
    };

    test("cancels the call with the transport's reason, without a signal", async () => {
      const work = new Work();
      const { exchange, tasks } = watchedExchange();
      const reply = serverOf(work.handler).handle(callOf(1), undefined, exchange);
      const reason = new Error("socket closed");
      expect(tasks.size).toBe(1);
      for (const task of tasks) task(reason);
      expect((await reply).kind).toBe("notification");
      expect(work.signals[0]?.reason).toBe(reason);
      expect([exchange.connection.callsInFlight, tasks.size]).toEqual([0, 0]);
    });

    test("is not watched after the call has ended, nor during a synchronous call", async () => {
      const work = new Work();
      const { exchange, tasks } = watchedExchange();
      const reply = serverOf(work.handler).handle(callOf(1), undefined, exchange);
      work.finish();
      expect((await reply).kind).toBe("result");
      expect(tasks.size).toBe(0);
      const { exchange: other, tasks: none } = watchedExchange();
      let watching = 0;
      const response = serverOf(() => `${(watching = none.size)}`).handle(callOf(1), undefined, other);
      expect((await response).kind).toBe("result");
      expect(watching).toBe(0);
    });

    test("before the handler returns its promise: the call is cancelled", async () => {
      const work = new Work();
      const exchange: Exchange = {
        connection: new Connection({ era: "legacy" }),
        onGone(task) {
          task(new Error("broken pipe"));
          return undefined;
        },
      };
      const response = await serverOf(work.handler).handle(callOf(1), undefined, exchange);
      expect(response.kind).toBe("notification");
      expect(work.signals[0]?.reason).toEqual(new Error("broken pipe"));
      expect(exchange.connection.callsInFlight).toBe(0);
    });
  });
});

describe("closing a connection", () => {
  test("cancels every call and rejects every pending request to the client", async () => {
    const work = new Work();
    const asked: unknown[] = [];
    const server = defineServer(INFO)
      .tool("work", { handler: (_, call) => work.handler(call) })
      .tool("ask", {
        handler: async (_, call) => {
          asked.push(await call.roots("where").catch((error: unknown) => error));
          return "done";
        },
      })
      .build();
    const connection = new Connection({ era: "legacy" });
    connection.capabilities = { roots: {} };
    const exchange: Exchange = {
      connection,
      request: (request, signal) => connection.ask(request, signal).answer,
    };
    const replies = [1, 2, 3].map((id) =>
      server.handle({ ...callOf(id), params: { name: id === 3 ? "ask" : "work" } }, undefined, exchange),
    );
    expect(connection.callsInFlight).toBe(3);
    connection.close();
    expect((await all(replies)).map(({ kind }) => kind)).toEqual(Array(3).fill("notification"));
    await settled();
    const closed = new Error("The connection was closed.");
    expect(work.signals.map(({ reason }) => reason as unknown)).toEqual([closed, closed]);
    expect(asked).toEqual([closed]);
    expect(connection.callsInFlight).toBe(0);
  });

  test("happens when a client closes", async () => {
    const work = new Work();
    const client = await createClient(serverOf(work.handler));
    void client.callTool("work", {});
    await settled();
    await client.close();
    expect(work.signals.map(({ reason }) => reason as unknown)).toEqual([
      new Error("The connection was closed."),
    ]);
  });
});

describe("IDs of calls in flight", () => {
  test("a second call with the same ID is rejected, and the first continues", async () => {
    const work = new Work();
    const server = serverOf(work.handler);
    const exchange = legacyExchange();
    const first = server.handle(callOf("a"), undefined, exchange);
    const second = await server.handle(callOf("a"), undefined, exchange);
    expect([second.error, second.status]).toEqual(["INVALID_REQUEST", 400]);
    expect(second.intoJsonRpc()).toEqual({
      jsonrpc: "2.0",
      id: "a",
      error: { code: -32600, message: "A call with this ID is already in flight. Use a new ID." },
    });
    expect(work.calls).toHaveLength(1);
    work.finish();
    expect((await first).kind).toBe("result");
  });

  test("a string and a number with the same digits are different IDs", async () => {
    const work = new Work();
    const server = serverOf(work.handler);
    const exchange = legacyExchange();
    const replies = [callOf(1), callOf("1")].map((message) => server.handle(message, undefined, exchange));
    work.finish(0);
    work.finish(1);
    expect((await all(replies)).map((response) => response.intoJsonRpc()?.id)).toEqual([1, "1"]);
  });

  test("an ID can be reused after its call has ended", async () => {
    const server = serverOf(async () => "done");
    const exchange = legacyExchange();
    for (let round = 0; round < 3; round++) {
      expect((await server.handle(callOf(1), undefined, exchange)).kind).toBe("result");
    }
  });

  test("a cancelled handler that ends late does not end a newer call with the same ID", async () => {
    const work = new Work();
    const server = serverOf(work.handler);
    const exchange = legacyExchange();
    void server.handle(callOf(1), undefined, exchange);
    await server.handle(cancelOf({ requestId: 1 }), undefined, exchange);
    const newer = server.handle(callOf(1), undefined, exchange);
    work.finish(0);
    await settled();
    expect(exchange.connection.callsInFlight).toBe(1);
    await server.handle(cancelOf({ requestId: 1 }), undefined, exchange);
    work.finish(1);
    expect((await newer).kind).toBe("notification");
  });
});

describe("the number of calls in flight", () => {
  test.each([
    ["legacy", {}],
    ["modern", { _meta: ENVELOPE }],
  ] as const)("is limited (%s)", async (era, params) => {
    const work = new Work();
    const server = serverOf(work.handler);
    const exchange: Exchange = { connection: new Connection({ era, maxCalls: 2 }) };
    const replies = [1, 2].map((id) => server.handle(callOf(id, params), undefined, exchange));
    const refused = await server.handle(callOf(3, params), undefined, exchange);
    expect([refused.error, refused.status]).toEqual(["TOO_MANY_CALLS", 429]);
    expect(refused.intoJsonRpc()?.error).toEqual({
      code: -32600,
      message: "Too many calls in flight on this connection (limit: 2). Try again later.",
    });
    expect(work.calls).toHaveLength(2);
    work.finish(0);
    expect((await replies[0])?.kind).toBe("result");
    const next = server.handle(callOf(4, params), undefined, exchange);
    work.finish(2);
    expect((await next).kind).toBe("result");
  });

  test("is zero after 1,000 calls that succeeded, failed, or were cancelled", async () => {
    const work = new Work();
    const gone = new AbortController();
    const server = serverOf(work.handler, { deadlineMs: 60_000 });
    const fail = serverOf(async () => {
      throw new McpError("CONFLICT", "taken");
    });
    const exchange = legacyExchange(gone.signal);
    const { connection } = exchange;
    for (let index = 0; index < 1_000; index++) {
      const reply = (index % 3 === 2 ? fail : server).handle(callOf(index), undefined, exchange);
      expect([connection.callsInFlight, listeners(gone.signal)]).toEqual([1, 1]);
      if (index % 3 === 0) work.finish(work.calls.length - 1);
      if (index % 3 === 1) connection.cancel(index, undefined);
      expect((await reply).kind).toBe(index % 3 === 1 ? "notification" : "result");
      expect([connection.callsInFlight, listeners(gone.signal)]).toEqual([0, 0]);
    }
  });

  test("is zero after a connection with 1,000 calls in flight closes", async () => {
    const work = new Work();
    const connection = new Connection({ era: "legacy" });
    const server = serverOf(work.handler);
    const replies = Array.from({ length: 1_000 }, (_, id) =>
      server.handle(callOf(id), undefined, { connection }),
    );
    expect(connection.callsInFlight).toBe(1_000);
    connection.close();
    const kinds = (await all(replies)).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["notification"]));
    expect(connection.callsInFlight).toBe(0);
  });

  test("does not count a synchronous handler", async () => {
    const gone = new AbortController();
    const exchange = legacyExchange(gone.signal);
    const response = serverOf(() => "done").handle(callOf(1), undefined, exchange);
    expect([exchange.connection.callsInFlight, listeners(gone.signal)]).toEqual([0, 0]);
    expect((await response).kind).toBe("result");
  });
});

describe("races", () => {
  type Event =
    | "handler ends"
    | "handler fails"
    | "client cancels"
    | "client disconnects"
    | "deadline"
    | "connection closes";
  const EVENTS: readonly Event[] = [
    "handler ends",
    "handler fails",
    "client cancels",
    "client disconnects",
    "deadline",
    "connection closes",
  ];

  test("a call settles once for any order of end, cancellation, disconnection, and timeout", async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.uniqueArray(fc.constantFrom(...EVENTS), { minLength: 1 }),
        fc.boolean(),
        async (scheduler, events, modern) => {
          const settle: { resolve?: (text: string) => void; reject?: (error: Error) => void } = {};
          const signals: AbortSignal[] = [];
          const timers: { run?: (() => void) | undefined } = {};
          const startTimer = (run: () => void) => {
            timers.run = run;
            return () => {
              timers.run = undefined;
            };
          };
          const server = serverOf(
            (call) => {
              signals.push(call.signal);
              return new Promise<string>((resolve, reject) => Object.assign(settle, { resolve, reject }));
            },
            { ports: { startTimer }, deadlineMs: 50 },
          );
          const gone = new AbortController();
          const connection = new Connection({ era: modern ? "modern" : "legacy" });
          const exchange: Exchange = { connection, signal: gone.signal };
          const responses: McpResponse[] = [];
          const message = callOf(1, modern ? { _meta: ENVELOPE } : {});
          const replied = Promise.resolve(server.handle(message, undefined, exchange)).then((response) =>
            responses.push(response),
          );
          const act: Record<Event, () => unknown> = {
            "handler ends": () => settle.resolve?.("done"),
            "handler fails": () => settle.reject?.(new McpError("CONFLICT", "failed")),
            "client cancels": () => server.handle(cancelOf({ requestId: 1 }), undefined, exchange),
            "client disconnects": () => gone.abort(new Error("gone")),
            deadline: () => timers.run?.(),
            "connection closes": () => connection.close(),
          };
          for (const event of events) {
            void scheduler.schedule(Promise.resolve(), event).then(act[event]);
          }
          await scheduler.waitIdle();
          await replied;
          await settled();

          expect(responses).toHaveLength(1);
          expect([connection.callsInFlight, listeners(gone.signal), timers.run]).toEqual([0, 0, undefined]);
          const [response] = responses;
          const [signal] = signals;
          const text = response?.toText() ?? "";
          const outcome =
            response?.kind === "notification"
              ? "nothing"
              : (["done", "failed", "timed out"].find((part) => text.includes(part)) ?? text);
          outcomes.add(outcome);
          // A call either gets a response or is aborted, never both.
          expect(signal?.aborted).toBe(outcome === "nothing" || outcome === "timed out");
          const possible: Record<string, readonly Event[]> = {
            nothing: ["client cancels", "client disconnects", "connection closes"],
            "timed out": ["deadline"],
            done: ["handler ends"],
            failed: ["handler fails"],
          };
          expect(possible[outcome]?.some((event) => events.includes(event))).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    expect([...outcomes].toSorted()).toEqual(["done", "failed", "nothing", "timed out"]);
  });

  test("a transport sends at most one frame for each ID", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 5 }), async (scheduler, calls) => {
        const work = new Work();
        const frames: string[] = [];
        const wire = openMemoryTransport(serverOf(work.handler), {
          context: undefined,
          connection: { era: "legacy" },
          onFrame: (frame) => frames.push(frame),
        });
        const sends = Array.from({ length: calls }, (_, id) => wire.send(JSON.stringify(callOf(id))));
        await settled();
        for (let id = 0; id < calls; id++) {
          void scheduler.schedule(Promise.resolve(), `end ${id}`).then(() => work.finish(id));
          void scheduler
            .schedule(Promise.resolve(), `cancel ${id}`)
            .then(() => wire.send(JSON.stringify(cancelOf({ requestId: id }))));
        }
        await scheduler.waitIdle();
        await Promise.all(sends);
        await settled();
        const answered = frames.map((frame) => (JSON.parse(frame) as { readonly id: number }).id);
        expect(new Set(answered).size).toBe(answered.length);
        const aborted = work.signals.flatMap((signal, id) => (signal.aborted ? [id] : []));
        expect([...answered, ...aborted].toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: calls }, (_, id) => id),
        );
        expect(wire.connection.callsInFlight).toBe(0);
        wire.close();
      }),
      { numRuns: 300 },
    );
  });
});
