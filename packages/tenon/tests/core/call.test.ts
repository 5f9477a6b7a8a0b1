import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Call } from "../../src/core/call/call.js";
import { Connection } from "../../src/core/wire/connection.js";
import { defineServer } from "../../src/core/define-server.js";
import type { Exchange } from "../../src/core/wire/exchange.js";
import type { LogEntry } from "../../src/core/wire/log.js";
import type { JsonObject } from "@tenon/internal/json";
import {
  type JsonRpcNotification,
  LEGACY_REVISIONS,
  LOG_LEVELS,
  McpError,
  META,
  type Revision,
  REVISIONS,
  TRAITS,
} from "../../src/protocol/index.js";
import { PROTOCOL_VERSION } from "../../src/protocol/revisions/revision.js";
import { createClient } from "../../src/testing/index.js";

const INFO = { name: "calls", version: "1.0.0" };
const LEGACY = "2025-11-25";
const MODERN = "2026-07-28";

/** Creates a server with one tool. */
const serverOf = (handler: (call: Call) => unknown, options = {}) =>
  defineServer({ ...INFO, ...options })
    .tool("run", { handler: (_, call) => handler(call) as string })
    .build();

/** Creates a request in the form that a revision requires. */
function request(revision: Revision, method: string, params: JsonObject, meta: JsonObject = {}) {
  const envelope = TRAITS[revision].stateless
    ? { [META.protocolVersion]: revision, [META.clientCapabilities]: {} }
    : {};
  return { jsonrpc: "2.0" as const, id: 1, method, params: { ...params, _meta: { ...envelope, ...meta } } };
}

const runTool = (revision: Revision, meta?: JsonObject) =>
  request(revision, "tools/call", { name: "run", arguments: {} }, meta);

/** Creates an exchange that records its notifications. */
function openExchange(revision: Revision, more: Partial<Exchange> = {}) {
  const sent: JsonRpcNotification[] = [];
  const exchange: Exchange = {
    connection: new Connection({ era: TRAITS[revision].era, revision }),
    notify: (notification) => void sent.push(notification),
    ...more,
  };
  return { exchange, sent };
}

/** Waits until pending tasks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("call.context", () => {
  /** Context that throws on any access. */
  const sealed = () =>
    new Proxy(
      {},
      Object.fromEntries(
        ["get", "set", "has", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf", "defineProperty"].map(
          (trap) => [
            trap,
            () => {
              throw new Error(`the context was inspected by ${trap}`);
            },
          ],
        ),
      ),
    );

  test.each([
    ["a tool", "tools/call", { name: "run" }],
    ["a resource", "resources/read", { uri: "test://run" }],
    ["a template resource", "resources/read", { uri: "test://run/7" }],
    ["a prompt", "prompts/get", { name: "run" }],
  ])(
    "R31: the application's value is passed to the handler of %s unchanged and unread",
    async (_, method, params) => {
      const seen: unknown[] = [];
      const note = (call: Call) => {
        seen.push(call.context);
        return "done";
      };
      const server = defineServer(INFO)
        .tool("run", { handler: (_, call) => note(call) })
        .resource("run", { uri: "test://run", handler: (_, call) => note(call) })
        .resourceTemplate("runs", { uriTemplate: "test://run/{id}", handler: (_, call) => note(call) })
        .prompt("run", { handler: (_, call) => note(call) })
        .build();
      for (const revision of [LEGACY, MODERN] as const) {
        const context = sealed();
        const { exchange } = openExchange(revision);
        const response = await server.handle(request(revision, method, params), context, exchange);
        expect(response.kind).toBe("result");
        expect(seen.pop() === context).toBe(true);
      }
    },
  );

  test.each([[undefined], [null], [0], ["text"], [Symbol.for("claims")]])(
    "R31: can be %o",
    async (context) => {
      let seen: unknown = "nothing";
      const server = serverOf((call) => {
        seen = call.context;
      });
      await server.handle(runTool(LEGACY), context);
      expect(seen).toBe(context);
    },
  );

  test("R31: has the type that the server was defined with", async () => {
    const server = defineServer<{ readonly claims: { readonly sub: string } }>(INFO).tool("whoami", {
      handler: (_, call) => call.context.claims.sub,
    });
    const client = await createClient(server, { context: { claims: { sub: "ada" } } });
    expect(await client.callTool("whoami", {})).toEqual({ content: [{ type: "text", text: "ada" }] });
  });
});

describe("request information in a call", () => {
  test("has the request ID with its JSON type", async () => {
    const ids: unknown[] = [];
    const server = serverOf((call) => void ids.push(call.id));
    await server.handle({ ...runTool(LEGACY), id: 7 }, undefined);
    await server.handle({ ...runTool(LEGACY), id: "7" }, undefined);
    expect(ids).toEqual([7, "7"]);
  });

  test("has the caller that the transport authenticated", async () => {
    const auth = { principal: "ada", scopes: ["read"] };
    const seen: unknown[] = [];
    const server = serverOf((call) => void seen.push(call.auth));
    await server.handle(runTool(LEGACY), undefined, openExchange(LEGACY, { auth }).exchange);
    await server.handle(runTool(LEGACY), undefined, openExchange(LEGACY).exchange);
    await server.handle(runTool(LEGACY), undefined);
    expect(seen[0]).toBe(auth);
    expect(seen.slice(1)).toEqual([undefined, undefined]);
  });

  test.each(REVISIONS)("has the client information declared in %s", async (revision) => {
    const seen: unknown[] = [];
    const server = serverOf((call) => {
      const { supports, ...view } = call.client;
      seen.push(view, supports("roots"), supports("sampling"));
    });
    const client = await createClient(server, { revision, capabilities: { roots: {} } });
    await client.callTool("run", {});
    expect(seen).toEqual([
      { name: "tenon", version: "0", capabilities: { roots: {} }, revision },
      true,
      false,
    ]);
  });

  test("has the default revision and no client name if the client did not declare them", async () => {
    let seen: unknown;
    const server = serverOf((call) => {
      seen = call.client;
    });
    await server.handle(runTool(LEGACY), undefined);
    expect(seen).toMatchObject({
      name: undefined,
      version: undefined,
      capabilities: {},
      revision: PROTOCOL_VERSION,
    });
  });

  test("ignores a client name that is not a string", async () => {
    let seen: unknown;
    const server = serverOf((call) => {
      seen = call.client;
    });
    const message = runTool(MODERN, { [META.clientInfo]: { name: 7, version: ["1"] } });
    await server.handle(message, undefined, openExchange(MODERN).exchange);
    expect(seen).toMatchObject({ name: undefined, version: undefined });
  });

  test("has the request's `_meta`, or an empty object", async () => {
    const seen: unknown[] = [];
    const server = serverOf((call) => void seen.push(call.meta));
    const message = runTool(LEGACY, { traceparent: "00-abc-def-01" });
    await server.handle(message, undefined);
    await server.handle({ ...message, params: { name: "run" } }, undefined);
    await server.handle({ ...message, params: { name: "run", _meta: "none" } }, undefined);
    expect(seen).toEqual([{ traceparent: "00-abc-def-01" }, {}, {}]);
  });
});

describe("call.progress", () => {
  test.each(REVISIONS)("notifies a client that requested progress, in %s", async (revision) => {
    const server = serverOf(async (call) => {
      await call.progress(1, 2, "half");
      await call.progress(2);
    });
    const client = await createClient(server, { revision });
    const heard: unknown[] = [];
    await client.callTool("run", {}, { onProgress: (progress) => heard.push(progress) });
    const message = revision === "2024-11-05" ? {} : { message: "half" };
    expect(heard).toEqual([{ progress: 1, total: 2, ...message }, { progress: 2 }]);
  });

  test.each([[7], ["7"], [0], [""]])("sends the progress token unchanged: %o", async (progressToken) => {
    const server = serverOf((call) => call.progress(0.5, 1));
    const { exchange, sent } = openExchange(LEGACY);
    await server.handle(runTool(LEGACY, { progressToken }), undefined, exchange);
    expect(sent).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress: 0.5, total: 1 },
      },
    ]);
  });

  test.each<[string, JsonObject]>([
    ["no token", {}],
    ["a token of null", { progressToken: null }],
    ["a token that is an object", { progressToken: {} }],
    ["a token that JSON cannot hold", { progressToken: 2 ** 60 }],
  ])("does not notify with %s", async (_, meta) => {
    const server = serverOf((call) => call.progress(1));
    const { exchange, sent } = openExchange(LEGACY);
    const response = await server.handle(runTool(LEGACY, meta), undefined, exchange);
    expect([response.kind, sent]).toEqual(["result", []]);
  });

  test("drops a value that did not increase", async () => {
    const server = serverOf(async (call) => {
      for (const figure of [0, 1, 1, 0.5, -1, NaN, 1.5]) await call.progress(figure);
    });
    const { exchange, sent } = openExchange(LEGACY);
    await server.handle(runTool(LEGACY, { progressToken: "t" }), undefined, exchange);
    expect(sent.map(({ params }) => params?.["progress"])).toEqual([0, 1, 1.5]);
  });

  test("drops a value that JSON cannot represent and sends the next one", async () => {
    const server = serverOf(async (call) => {
      for (const figure of [-Infinity, NaN, Infinity, 1]) await call.progress(figure);
    });
    const { exchange, sent } = openExchange(LEGACY);
    await server.handle(runTool(LEGACY, { progressToken: "t" }), undefined, exchange);
    expect(sent.map(({ params }) => params?.["progress"])).toEqual([1]);
  });

  test("tracks progress separately for each call", async () => {
    const server = serverOf((call) => call.progress(1));
    const { exchange, sent } = openExchange(LEGACY);
    await server.handle(runTool(LEGACY, { progressToken: "a" }), undefined, exchange);
    await server.handle(runTool(LEGACY, { progressToken: "b" }), undefined, exchange);
    expect(sent.map(({ params }) => params?.["progressToken"])).toEqual(["a", "b"]);
  });

  test.each<[string, (call: Call) => unknown]>([
    ["synchronously", () => "done"],
    ["later", async () => "done"],
    [
      "with an error",
      async () => {
        throw new Error("no");
      },
    ],
    [
      "with a synchronous error",
      () => {
        throw new Error("no");
      },
    ],
  ])("does not notify after the result of a handler that ended %s", async (_, end) => {
    const calls: Call[] = [];
    const server = serverOf((call) => {
      calls.push(call);
      return end(call);
    });
    const { exchange, sent } = openExchange(MODERN);
    const meta = { progressToken: "t", [META.logLevel]: "debug" };
    const response = await server.handle(runTool(MODERN, meta), undefined, exchange);
    expect(response.kind).toBe("result");
    for (const call of calls) {
      await call.progress(1);
      await call.log("error", "too late");
    }
    expect([calls.length, sent]).toEqual([1, []]);
  });

  test.each<[string, (call: Call) => unknown]>([
    ["synchronously", () => "swallowed"],
    ["later", async () => "swallowed"],
  ])("does not notify after the question of a handler that ended %s", async (_, end) => {
    const calls: Call[] = [];
    const server = serverOf((call) => {
      calls.push(call);
      void call.roots("where");
      return end(call);
    });
    const { exchange, sent } = openExchange(MODERN);
    const meta = { progressToken: "t", [META.clientCapabilities]: { roots: {} } };
    const response = await server.handle(runTool(MODERN, meta), undefined, exchange);
    expect(response.intoJsonRpc()?.result).toMatchObject({ resultType: "input_required" });
    for (const call of calls) await call.progress(1);
    expect([calls.length, sent]).toEqual([1, []]);
  });
});

describe("call.log", () => {
  const logAll = () =>
    serverOf(async (call) => {
      for (const level of LOG_LEVELS) await call.log(level, { said: level });
    });
  const levelsOf = (sent: readonly JsonRpcNotification[]) => sent.map(({ params }) => params?.["level"]);
  const from = (level: string) =>
    LOG_LEVELS.filter((_, index) => index >= LOG_LEVELS.findIndex((l) => l === level));

  test.each(LEGACY_REVISIONS)(
    "sends messages from level info until a client of %s sets a level",
    async (revision) => {
      const client = await createClient(logAll(), { revision });
      await client.callTool("run", {});
      expect(levelsOf(client.notifications)).toEqual(from("info"));
    },
  );

  test("uses the server's level until the client sets one", async () => {
    const server = serverOf((call) => Promise.all(LOG_LEVELS.map((level) => call.log(level, ""))), {
      logLevel: "error",
    });
    const client = await createClient(server);
    await client.callTool("run", {});
    expect(levelsOf(client.notifications)).toEqual(from("error"));
  });

  test.each(LOG_LEVELS)("sends messages from level %s after logging/setLevel", async (level) => {
    const client = await createClient(logAll());
    await client.request("logging/setLevel", { level });
    await client.callTool("run", {});
    expect(levelsOf(client.notifications)).toEqual(from(level));
  });

  test("does not notify in the modern era if the request does not set a level", async () => {
    const client = await createClient(logAll(), { revision: MODERN });
    await client.callTool("run", {});
    expect(client.notifications).toEqual([]);
  });

  test.each(LOG_LEVELS)("sends messages from level %s if a modern request sets it", async (logLevel) => {
    const client = await createClient(logAll(), { revision: MODERN, logLevel });
    await client.callTool("run", {});
    expect(levelsOf(client.notifications)).toEqual(from(logLevel));
  });

  test("uses the current request's level, not an earlier request's level", async () => {
    const server = logAll();
    const { exchange, sent } = openExchange(MODERN);
    await server.handle(runTool(MODERN, { [META.logLevel]: "alert" }), undefined, exchange);
    await server.handle(runTool(MODERN), undefined, exchange);
    expect(levelsOf(sent)).toEqual(["alert", "emergency"]);
  });

  test("sends the data and the logger name", async () => {
    const server = serverOf(async (call) => {
      await call.log("warning", { disk: "full" }, "storage");
      await call.log("error", "plain");
    });
    const client = await createClient(server);
    await client.callTool("run", {});
    expect(client.notifications).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level: "warning", data: { disk: "full" }, logger: "storage" },
      },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "plain" } },
    ]);
  });
});

describe("a transport that cannot send notifications", () => {
  const speak = (options = {}) =>
    serverOf(async (call) => {
      await call.progress(1);
      await call.log("error", "heard?");
      return "done";
    }, options);

  test.each<[string, () => void | Promise<void>]>([
    [
      "throws",
      () => {
        throw new Error("broken pipe");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken pipe"))],
  ])("does not fail the handler if it %s, and the failure is logged", async (_, notify) => {
    const entries: LogEntry[] = [];
    const server = speak({ log: (entry: LogEntry) => entries.push(entry) });
    const { exchange } = openExchange(LEGACY, { notify });
    const response = await server.handle(runTool(LEGACY, { progressToken: 1 }), undefined, exchange);
    expect(response.intoJsonRpc()?.result).toEqual({ content: [{ type: "text", text: "done" }] });
    expect(entries).toEqual(
      ["notifications/progress", "notifications/message"].map((name) => ({
        level: "error",
        event: "notify-failed",
        operation: "tools/call",
        name,
        error: new Error("broken pipe"),
      })),
    );
  });

  test.each<[string, Exchange | undefined]>([
    ["is not there", undefined],
    ["cannot notify", { connection: new Connection({ era: "legacy" }) }],
  ])("does not fail the handler when it %s", async (_, exchange) => {
    const response = await speak().handle(runTool(LEGACY, { progressToken: 1 }), undefined, exchange);
    expect(response.intoJsonRpc()?.result).toEqual({ content: [{ type: "text", text: "done" }] });
  });

  test("is awaited, so a slow client slows down the handler", async () => {
    const order: string[] = [];
    const server = serverOf(async (call) => {
      await call.progress(1);
      order.push("handler went on");
    });
    const notify = async () => {
      await settled();
      order.push("sent");
    };
    const { exchange } = openExchange(LEGACY, { notify });
    await server.handle(runTool(LEGACY, { progressToken: 1 }), undefined, exchange);
    expect(order).toEqual(["sent", "handler went on"]);
  });
});

describe("call.signal", () => {
  test("is created once, on first access", async () => {
    let made = 0;
    const Original = AbortController;
    class CountingController extends Original {
      constructor() {
        super();
        made++;
      }
    }
    const server = defineServer(INFO)
      .tool("without", { handler: async () => "done" })
      .tool("with", { handler: async (_, call) => `${call.signal === call.signal} ${call.signal.aborted}` })
      .build();
    const { exchange } = openExchange(LEGACY);
    const call = (name: string) =>
      server.handle(request(LEGACY, "tools/call", { name }), undefined, exchange);
    vi.stubGlobal("AbortController", CountingController);
    await call("without");
    expect(made).toBe(0);
    const response = await call("with");
    expect(made).toBe(1);
    expect(response.intoJsonRpc()?.result).toEqual({ content: [{ type: "text", text: "true false" }] });
  });

  test("is already aborted on first access after a cancellation", async () => {
    const calls: Call[] = [];
    const server = serverOf((call) => {
      calls.push(call);
      return new Promise(() => undefined);
    });
    const { exchange } = openExchange(LEGACY);
    const response = server.handle(runTool(LEGACY), undefined, exchange);
    const reason = new Error("client left");
    exchange.connection.cancel(1, reason);
    expect((await response).kind).toBe("notification");
    expect(calls.map(({ signal }) => [signal.aborted, signal.reason as unknown])).toEqual([[true, reason]]);
  });

  test("does not abort when the call succeeds", async () => {
    const signals: AbortSignal[] = [];
    const server = serverOf(async (call) => void signals.push(call.signal));
    const { exchange } = openExchange(LEGACY);
    await server.handle(runTool(LEGACY), undefined, exchange);
    exchange.connection.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});

describe("deadlineMs", () => {
  interface FakeTimer {
    readonly ms: number;
    readonly run: () => void;
    stopped: boolean;
  }

  /** Timers that the test fires. */
  function fakeTimers() {
    const timers: FakeTimer[] = [];
    const startTimer = (run: () => void, ms: number) => {
      const timer: FakeTimer = { ms, run, stopped: false };
      timers.push(timer);
      return () => {
        timer.stopped = true;
      };
    };
    return { timers, ports: { startTimer } };
  }

  const slow = () => new Promise<never>(() => undefined);

  /** Creates a server with handlers that never end. */
  const slowServer = (ports: ReturnType<typeof fakeTimers>["ports"], seen: AbortSignal[] = []) =>
    defineServer({ ...INFO, ports, deadlineMs: 1_000 })
      .tool("slow", {
        deadlineMs: 50,
        handler: (_, call) => {
          seen.push(call.signal);
          return slow();
        },
      })
      .tool("patient", { handler: slow })
      .prompt("slow", { deadlineMs: 50, handler: slow })
      .resource("slow", { uri: "test://slow", deadlineMs: 50, handler: slow })
      .build();

  test.each([LEGACY, MODERN] as const)("ends a tool with an error for the model, in %s", async (revision) => {
    const { timers, ports } = fakeTimers();
    const seen: AbortSignal[] = [];
    const { exchange } = openExchange(revision);
    const response = slowServer(ports, seen).handle(
      request(revision, "tools/call", { name: "slow" }),
      undefined,
      exchange,
    );
    expect(timers.map(({ ms }) => ms)).toEqual([50]);
    timers[0]?.run();
    expect((await response).intoJsonRpc()?.result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: 'Tool "slow" timed out after 50 ms.' }],
    });
    const [signal] = seen;
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toEqual(new McpError("TIMEOUT", 'Tool "slow" timed out after 50 ms.'));
    expect([exchange.connection.callsInFlight, timers[0]?.stopped]).toEqual([0, true]);
  });

  test.each([
    ["Prompt", "prompts/get", { name: "slow" }],
    ["Resource", "resources/read", { uri: "test://slow" }],
  ])("ends a %s with a protocol error", async (noun, method, params) => {
    const { timers, ports } = fakeTimers();
    const { exchange } = openExchange(LEGACY);
    const response = slowServer(ports).handle(request(LEGACY, method, params), undefined, exchange);
    timers[0]?.run();
    expect((await response).error).toBe("TIMEOUT");
    expect((await response).intoJsonRpc()?.error).toEqual({
      code: -32603,
      message: `${noun} "slow" timed out after 50 ms.`,
    });
  });

  test("defaults to the server's timeout", async () => {
    const { timers, ports } = fakeTimers();
    const response = slowServer(ports).handle(
      request(LEGACY, "tools/call", { name: "patient" }),
      undefined,
      openExchange(LEGACY).exchange,
    );
    expect(timers.map(({ ms }) => ms)).toEqual([1_000]);
    timers[0]?.run();
    expect((await response).intoJsonRpc()?.result).toMatchObject({
      content: [{ type: "text", text: 'Tool "patient" timed out after 1000 ms.' }],
    });
  });

  test("applies without an exchange", async () => {
    const { timers, ports } = fakeTimers();
    const response = slowServer(ports).handle(request(LEGACY, "tools/call", { name: "slow" }), undefined);
    timers[0]?.run();
    expect((await response).intoJsonRpc()?.result).toMatchObject({ isError: true });
  });

  test.each<[string, () => unknown]>([
    ["its result", async () => "done"],
    [
      "an error",
      async () => {
        throw new McpError("CONFLICT", "taken");
      },
    ],
  ])("stops the timer when the handler ends first, with %s", async (_, handler) => {
    const { timers, ports } = fakeTimers();
    const signals: AbortSignal[] = [];
    const server = serverOf(
      (call) => {
        signals.push(call.signal);
        return handler();
      },
      { ports, deadlineMs: 50 },
    );
    await server.handle(runTool(LEGACY), undefined, openExchange(LEGACY).exchange);
    expect(timers.map(({ stopped }) => stopped)).toEqual([true]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test("stops the timer when the client cancels", async () => {
    const { timers, ports } = fakeTimers();
    const { exchange } = openExchange(LEGACY);
    const response = slowServer(ports).handle(
      request(LEGACY, "tools/call", { name: "slow" }),
      undefined,
      exchange,
    );
    exchange.connection.cancel(1, undefined);
    expect((await response).kind).toBe("notification");
    expect(timers.map(({ stopped }) => stopped)).toEqual([true]);
  });

  test("does not start a timer for a synchronous handler or without a timeout", async () => {
    const { timers, ports } = fakeTimers();
    await serverOf(() => "done", { ports, deadlineMs: 50 }).handle(runTool(LEGACY), undefined);
    await serverOf(async () => "done", { ports }).handle(runTool(LEGACY), undefined);
    expect(timers).toEqual([]);
  });

  test("ignores a result after the timeout", async () => {
    const { timers, ports } = fakeTimers();
    let finish: (text: string) => void = () => undefined;
    const server = serverOf(
      () =>
        new Promise<string>((resolve) => {
          finish = resolve;
        }),
      { ports, deadlineMs: 50 },
    );
    const { exchange, sent } = openExchange(LEGACY);
    const response = server.handle(runTool(LEGACY), undefined, exchange);
    timers[0]?.run();
    finish("too late");
    await settled();
    expect((await response).toText()).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Tool \\"run\\" timed out after 50 ms."}],"isError":true}}',
    );
    expect(sent).toEqual([]);
  });

  test("works with the real clock", async () => {
    const server = defineServer(INFO).tool("slow", {
      deadlineMs: 5,
      input: z.object({}),
      handler: (_, call) =>
        new Promise((_resolve, reject) => {
          call.signal.addEventListener("abort", () => reject(call.signal.reason as Error));
        }),
    });
    const client = await createClient(server);
    expect(await client.callTool("slow", {})).toEqual({
      content: [{ type: "text", text: 'Tool "slow" timed out after 5 ms.' }],
      isError: true,
    });
  });
});
