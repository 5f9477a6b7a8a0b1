import type { JsonObject } from "@tenon/internal/json";
import { systemPorts } from "@tenon/internal/ports";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type Call, defineServer, form, type LogEntry, McpError, RequestError, type Server } from "tenon";
import { toFetch } from "tenon/fetch";
import { META } from "tenon/protocol";
import {
  createMemoryKeyValueStore,
  createMemoryStore,
  idempotency,
  type IdempotencyOptions,
  type KeyValueStore,
  type SharedStore,
} from "tenon/stores";
import { tasks } from "tenon/tasks";
import { createClient } from "tenon/testing";
import { Connection } from "../../src/core/wire/connection.js";
import type { ServerOptions } from "../../src/core/definitions/options.js";
import { modernCall } from "../../../../tests/support/http-messages.js";

const MODERN = "2026-07-28";
const UNKNOWN = /^The outcome of the first call with this idempotency key is unknown/;

type Handler = (args: JsonObject, call: Call) => unknown;

interface NodeOptions extends Partial<IdempotencyOptions> {
  readonly server?: Partial<ServerOptions>;
  readonly annotations?: { readonly idempotentHint?: boolean; readonly readOnlyHint?: boolean };
}

/** Creates one node of a server with the tools "pay" and "other". All nodes have the same key ring. */
function createNode(handler: Handler, { server = {}, annotations = {}, ...options }: NodeOptions = {}) {
  const log: LogEntry[] = [];
  const keys = ["k".repeat(32)];
  const input = z.looseObject({});
  const { store = createMemoryStore() } = options;
  const node = defineServer({
    name: "shop",
    version: "1.0.0",
    log: (entry) => log.push(entry),
    state: { keys },
    ...server,
  })
    .use(idempotency({ ...options, store }))
    .tool("pay", { input, annotations, handler: (args, call) => handler(args, call) as string })
    .tool("other", { input, handler: (args, call) => handler(args, call) as string })
    .build();
  onTestFinished(() => node.close());
  return { node, log, store };
}

interface CallOptions {
  readonly key?: unknown;
  readonly header?: string;
  readonly args?: JsonObject;
  readonly principal?: string;
  readonly name?: string;
  readonly params?: JsonObject;
  readonly signal?: AbortSignal;
  readonly capabilities?: JsonObject;
}

let lastId = 0;

/** Calls a tool over a new connection, as over HTTP. */
async function call(node: Pick<Server, "handle">, options: CallOptions = {}) {
  const { key, header, args = { cents: 100 }, principal, name = "pay", params = {}, signal } = options;
  const { capabilities = { elicitation: { form: {} } } } = options;
  const _meta = {
    [META.protocolVersion]: MODERN,
    [META.clientCapabilities]: capabilities,
    ...(key === undefined ? {} : { "tenon/idempotencyKey": key }),
  };
  const headers: Readonly<Record<string, string | undefined>> = {
    "mcp-protocol-version": MODERN,
    "mcp-method": "tools/call",
    "mcp-name": name,
    "idempotency-key": header,
  };
  const response = await node.handle(
    {
      jsonrpc: "2.0",
      id: ++lastId,
      method: "tools/call",
      params: { name, arguments: args, ...params, _meta },
    },
    undefined,
    {
      connection: new Connection({ era: "modern" }),
      auth: principal === undefined ? undefined : { principal, scopes: [] },
      header: (field) => headers[field],
      signal,
    },
  );
  const { result, error } = response.intoJsonRpc() ?? {};
  return { result: result as JsonObject | undefined, error };
}

const textOf = ({ result }: { readonly result: JsonObject | undefined }) =>
  (result?.["content"] as readonly { readonly text: string }[] | undefined)?.[0]?.text;

/** Handler that counts its runs. */
const counting = () => {
  let runs = 0;
  return Object.assign(() => `paid ${++runs}`, { runs: () => runs });
};

/** Promise that a test resolves. */
function createGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  onTestFinished(() => open());
  return { opened, open: () => open() };
}

describe("a call with an idempotency key", () => {
  test("runs once, and a repeated call gets the first result on every node", async () => {
    const handler = counting();
    const { node, store } = createNode(handler);
    const { node: peer } = createNode(handler, { store });
    const first = await call(node, { key: "a" });
    expect(textOf(first)).toBe("paid 1");
    for (const repeated of [await call(node, { key: "a" }), await call(peer, { key: "a" })]) {
      expect(repeated).toEqual(first);
    }
    expect(handler.runs()).toBe(1);
    expect(textOf(await call(peer, { key: "b" }))).toBe("paid 2");
    expect(textOf(await call(peer))).toBe("paid 3");
  });

  test("runs once if 50 calls arrive at the same time on two nodes", async () => {
    let runs = 0;
    const handler = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return `paid ${++runs}`;
    };
    const { node, store } = createNode(handler);
    const { node: peer } = createNode(handler, { store });
    const calls = Array.from({ length: 50 }, (_, n) => call(n % 2 === 0 ? node : peer, { key: "a" }));
    const texts = (await Promise.all(calls)).map(textOf);
    expect(new Set(texts)).toEqual(new Set(["paid 1"]));
    expect(runs).toBe(1);
  });

  test("is independent of the same key of another principal, tool, or server", async () => {
    const handler = counting();
    const { node, store } = createNode(handler);
    const { node: otherServer } = createNode(handler, { store, server: { name: "other" } });
    const results = [
      await call(node, { key: "a" }),
      await call(node, { key: "a", principal: "ada" }),
      await call(node, { key: "a", principal: "bob" }),
      await call(node, { key: "a", principal: "null" }),
      await call(node, { key: "a", principal: "ada", name: "other" }),
      await call(otherServer, { key: "a", principal: "ada" }),
    ];
    expect(results.map(textOf)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `paid ${n}`));
    expect(textOf(await call(node, { key: "a", principal: "ada" }))).toBe("paid 2");
  });

  test("is rejected if the arguments differ, but not if only their order differs", async () => {
    const handler = counting();
    const { node } = createNode(handler);
    await call(node, { key: "a", args: { cents: 1, to: { name: "Ada", age: 1 } } });
    const same = await call(node, { key: "a", args: { to: { age: 1, name: "Ada" }, cents: 1 } });
    expect(textOf(same)).toBe("paid 1");
    const { error } = await call(node, { key: "a", args: { cents: 2, to: { name: "Ada", age: 1 } } });
    expect(error).toMatchObject({
      code: -32602,
      message: "This idempotency key was used with different arguments. Use a new key for each call.",
    });
    expect(handler.runs()).toBe(1);
  });

  test("expires after `ttlMs`", async () => {
    let now = 0;
    const handler = counting();
    const store = createMemoryStore({ ports: { now: () => now } });
    const { node } = createNode(handler, { store, ttlMs: 1000 });
    await call(node, { key: "a" });
    now = 999;
    expect(textOf(await call(node, { key: "a" }))).toBe("paid 1");
    now = 1000;
    expect(textOf(await call(node, { key: "a" }))).toBe("paid 2");
  });

  test("works with a plain key-value store", async () => {
    const handler = counting();
    const { node } = createNode(handler, { store: createMemoryKeyValueStore() });
    await call(node, { key: "a" });
    expect(textOf(await call(node, { key: "a" }))).toBe("paid 1");
  });

  test("keeps structured content, images, and `_meta`", async () => {
    const result = {
      content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
      structuredContent: { total: 3, list: [1, null, "é"] },
      _meta: { "example/trace": "1" },
    };
    const { node } = createNode(() => result);
    const first = await call(node, { key: "a" });
    expect(first.result).toMatchObject(result);
    expect(await call(node, { key: "a" })).toEqual(first);
  });
});

describe("the key", () => {
  test.each([
    ["plain", "8e03978e-40d5"],
    ["quoted, as in the IETF draft", '"8e03978e-40d5"'],
  ])("can be sent in the header, %s, or in `_meta`", async (_form, header) => {
    const handler = counting();
    const { node } = createNode(handler);
    await call(node, { header });
    expect(textOf(await call(node, { key: "8e03978e-40d5" }))).toBe("paid 1");
    expect(textOf(await call(node, { key: "8e03978e-40d5", header }))).toBe("paid 1");
    expect(handler.runs()).toBe(1);
  });

  test("is rejected if the header and `_meta` differ", async () => {
    const handler = counting();
    const { node } = createNode(handler);
    const { error } = await call(node, { key: "a", header: "b" });
    expect(error).toMatchObject({
      code: -32602,
      message:
        'The header `Idempotency-Key` and `_meta["tenon/idempotencyKey"]` contain different keys. Send one of them.',
    });
    expect(handler.runs()).toBe(0);
  });

  test.each<[unknown, string]>([
    ["", "0 characters"],
    ["x".repeat(256), "256 characters"],
    ["a b", "3 characters"],
    ["ä", "1 characters"],
    ["a\n", "2 characters"],
    [7, "a number"],
    [null, "null"],
    [{}, "an object"],
  ])("%j is rejected", async (key, got) => {
    const handler = counting();
    const { node } = createNode(handler);
    const { error } = await call(node, { key });
    expect(error).toMatchObject({
      code: -32602,
      message: `An idempotency key must consist of 1 to 255 visible ASCII characters; got ${got}.`,
    });
    expect(handler.runs()).toBe(0);
  });

  test("of 255 characters is accepted", async () => {
    const { node } = createNode(counting());
    expect(textOf(await call(node, { key: "x".repeat(255) }))).toBe("paid 1");
  });

  test("arrives over HTTP, on servers that share a store", async () => {
    const store = createMemoryStore();
    const handler = counting();
    const nodes = [1, 2].map(() =>
      toFetch(
        defineServer({ name: "shop", version: "1.0.0" })
          .use(idempotency({ store }))
          .tool("pay", { handler })
          .build(),
        { store },
      ),
    );
    const texts = await Promise.all(
      nodes.map(async (node) => {
        const init = modernCall("pay", {}, { headers: { "idempotency-key": '"a"' } });
        const response = await node(new Request("http://127.0.0.1/mcp", init));
        return textOf((await response.json()) as { result: JsonObject });
      }),
    );
    expect(texts).toEqual(["paid 1", "paid 1"]);
  });

  test("does not affect resources and prompts", async () => {
    let reads = 0;
    const node = defineServer({ name: "shop", version: "1.0.0" })
      .use(idempotency({ store: createMemoryStore() }))
      .resource("log", { uri: "app://log", handler: () => `read ${++reads}` })
      .build();
    const client = await createClient(node);
    const params = { uri: "app://log", _meta: { "tenon/idempotencyKey": "a" } };
    await client.request("resources/read", params);
    await client.request("resources/read", params);
    expect(reads).toBe(2);
  });
});

describe("the outcome of a call", () => {
  test("includes errors, because the handler may have had an effect", async () => {
    let runs = 0;
    const { node, log } = createNode(() => {
      runs += 1;
      throw new Error(`secret ${runs}`);
    });
    const first = await call(node, { key: "a" });
    expect(textOf(first)).toBe("Tool pay failed");
    expect(await call(node, { key: "a" })).toEqual(first);
    expect(runs).toBe(1);
    expect(log.map(({ event }) => event)).toEqual(["handler-failed"]);
  });

  test.each<[string, () => unknown]>([
    ["an McpError", () => new McpError("NOT_FOUND", "No such invoice.", { invoice: "42" })],
    ["a RequestError", () => new RequestError("CONFLICT", "The invoice is paid.", { invoice: "42" })],
    ["a string", () => "thrown"],
  ])("%s is the same for a repeated call", async (_kind, createError) => {
    let runs = 0;
    const { node } = createNode(() => {
      runs += 1;
      throw createError();
    });
    const first = await call(node, { key: "a" });
    const repeated = await call(node, { key: "a" });
    expect(repeated).toEqual(first);
    expect(runs).toBe(1);
  });

  test("with `exposeErrors`, contains the message", async () => {
    const handler = () => {
      throw new Error("disk full");
    };
    const { node } = createNode(handler, { server: { exposeErrors: true } });
    const first = await call(node, { key: "a" });
    expect(textOf(first)).toContain("disk full");
    expect(await call(node, { key: "a" })).toEqual(first);
  });

  test("is stored even if the client disconnects, and a repeated call gets it", async () => {
    const gate = createGate();
    let runs = 0;
    const { node } = createNode(async () => {
      runs += 1;
      await gate.opened;
      return "paid";
    });
    const client = new AbortController();
    const lost = call(node, { key: "a", signal: client.signal });
    await vi.waitFor(() => expect(runs).toBe(1));
    client.abort();
    expect((await lost).result).toBeUndefined();
    const repeated = call(node, { key: "a" });
    gate.open();
    expect(textOf(await repeated)).toBe("paid");
    expect(runs).toBe(1);
  });

  test("of a handler that stops when its client disconnects is an error", async () => {
    let runs = 0;
    const { node } = createNode(async (_args, { signal }) => {
      runs += 1;
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
      });
    });
    const client = new AbortController();
    const lost = call(node, { key: "a", signal: client.signal });
    await vi.waitFor(() => expect(runs).toBe(1));
    client.abort();
    await lost;
    const repeated = await call(node, { key: "a" });
    expect(repeated.result).toMatchObject({ isError: true });
    expect(textOf(repeated)).toBe("Tool pay was cancelled before it ended.");
    expect(runs).toBe(1);
  });

  test("that is larger than `maxResultBytes` reaches the first caller only", async () => {
    let runs = 0;
    const { node, log } = createNode(() => `${++runs}${"x".repeat(1000)}`, { maxResultBytes: 1000 });
    expect(textOf(await call(node, { key: "a" }))).toHaveLength(1001);
    const { error } = await call(node, { key: "a" });
    expect(error).toMatchObject({
      message:
        "The first call with this idempotency key has ended, but its result was too large to be stored.",
    });
    expect(runs).toBe(1);
    expect(log).toMatchObject([{ event: "store-failed", name: "pay" }]);
  });

  test("does not include questions: the call continues with the same key", async () => {
    const request = form({ message: "Sure?", schema: z.object({ ok: z.boolean() }) });
    let paid = 0;
    const { node } = createNode(async (_args, asked) => {
      const answer = await asked.input("sure", request);
      return answer.action === "accept" ? `paid ${++paid}` : "declined";
    });
    const first = await call(node, { key: "a" });
    expect(first.result).toMatchObject({ resultType: "input_required" });
    const params = {
      requestState: first.result?.["requestState"],
      inputResponses: { sure: { action: "accept", content: { ok: true } } },
    };
    expect(textOf(await call(node, { key: "a", params }))).toBe("paid 1");
    expect(textOf(await call(node, { key: "a", params }))).toBe("paid 1");
    // Without the answers as well, because the call has ended.
    expect(textOf(await call(node, { key: "a" }))).toBe("paid 1");
    expect(paid).toBe(1);
  });
});

describe("a call whose node was lost", () => {
  /** Creates a node whose timers that extend the lease never fire, as if its process had ended. */
  function createLostNode(clock: { now: number }, store: SharedStore) {
    let runs = 0;
    const handler = () => {
      runs += 1;
      return new Promise<string>(() => undefined);
    };
    const ports = {
      startTimer: (task: () => void, ms: number, background = false) =>
        background ? () => undefined : systemPorts.startTimer(task, ms),
    };
    const { node } = createNode(handler, { store, server: { ports } });
    return { node, clock, runs: () => runs };
  }

  async function loseCall() {
    const clock = { now: 0 };
    const store = createMemoryStore({ ports: { now: () => clock.now } });
    const lost = createLostNode(clock, store);
    void call(lost.node, { key: "a" });
    await vi.waitFor(() => expect(lost.runs()).toBe(1));
    return { clock, store };
  }

  test("is waited for while its lease lasts, and then rejected", async () => {
    const { clock, store } = await loseCall();
    const handler = counting();
    const { node } = createNode(handler, { store });
    let isSettled = false;
    const repeated = call(node, { key: "a" }).finally(() => (isSettled = true));
    clock.now = 9_000;
    await call(node, { key: "sentinel" });
    expect(isSettled).toBe(false);
    clock.now = 10_000;
    expect((await repeated).error?.message).toMatch(UNKNOWN);
    expect((await call(node, { key: "a" })).error?.message).toMatch(UNKNOWN);
    expect(handler.runs()).toBe(1);
  });

  test.each<[string, NodeOptions]>([
    ['`onLostNode: "retry"`', { onLostNode: "retry" }],
    ["the annotation `idempotentHint`", { annotations: { idempotentHint: true } }],
    ["the annotation `readOnlyHint`", { annotations: { readOnlyHint: true } }],
  ])("runs again with %s, once", async (_reason, options) => {
    const { clock, store } = await loseCall();
    const handler = counting();
    const [first, second] = [1, 2].map(() => createNode(handler, { store, ...options }).node);
    if (first === undefined || second === undefined) throw new Error("Two nodes were created.");
    clock.now = 10_000;
    const calls = Array.from({ length: 20 }, (_, n) => call(n % 2 === 0 ? first : second, { key: "a" }));
    expect(new Set((await Promise.all(calls)).map(textOf))).toEqual(new Set(["paid 1"]));
    expect(handler.runs()).toBe(1);
  });

  test("is not regarded as lost while its node extends the lease", async () => {
    const clock = { now: 0 };
    const store = createMemoryStore({ ports: { now: () => clock.now } });
    const timers: (() => void)[] = [];
    const gate = createGate();
    let runs = 0;
    const ports = {
      startTimer(task: () => void, ms: number, background = false) {
        if (!background) return systemPorts.startTimer(task, ms);
        timers.push(task);
        return () => undefined;
      },
    };
    const handler = async () => {
      runs += 1;
      await gate.opened;
      return "paid";
    };
    const { node } = createNode(handler, { store, server: { ports } });
    const { node: peer } = createNode(handler, { store });
    const first = call(node, { key: "a" });
    await vi.waitFor(() => expect(timers).toHaveLength(1));
    const repeated = call(peer, { key: "a" });
    for (let round = 1; round <= 6; round++) {
      clock.now += 5_000;
      timers.at(-1)?.();
      await vi.waitFor(() => expect(timers).toHaveLength(round + 1));
    }
    gate.open();
    expect((await Promise.all([first, repeated])).map(textOf)).toEqual(["paid", "paid"]);
    expect(runs).toBe(1);
  });

  test("does not replace the outcome of the call that took over", async () => {
    const clock = { now: 0 };
    const store = createMemoryStore({ ports: { now: () => clock.now } });
    const gate = createGate();
    let runs = 0;
    const slow = createNode(
      async () => {
        runs += 1;
        await gate.opened;
        return "late";
      },
      { store, server: { ports: { startTimer: () => () => undefined } } },
    );
    const late = call(slow.node, { key: "a" });
    await vi.waitFor(() => expect(runs).toBe(1));
    clock.now = 10_000;
    const { node } = createNode(() => "taken over", { store, onLostNode: "retry" });
    expect(textOf(await call(node, { key: "a" }))).toBe("taken over");
    gate.open();
    expect(textOf(await late)).toBe("late");
    expect(slow.log).toMatchObject([{ event: "store-failed", name: "pay" }]);
    expect(textOf(await call(node, { key: "a" }))).toBe("taken over");
  });
});

describe("a call that waits for the first one", () => {
  test("ends when it is cancelled", async () => {
    const gate = createGate();
    let runs = 0;
    const { node } = createNode(async () => {
      runs += 1;
      await gate.opened;
      return "paid";
    });
    const first = call(node, { key: "a" });
    await vi.waitFor(() => expect(runs).toBe(1));
    const waiting = new AbortController();
    const second = call(node, { key: "a", signal: waiting.signal });
    waiting.abort();
    expect((await second).result).toBeUndefined();
    gate.open();
    expect(textOf(await first)).toBe("paid");
    expect(runs).toBe(1);
  });
});

describe("the store", () => {
  /** Copies a store and records its writes. */
  function spy(store: KeyValueStore = createMemoryKeyValueStore()) {
    const values = new Map<string, string>();
    const copy: KeyValueStore = {
      ...store,
      compareAndSet: (key, version, replacement) => {
        values.set(key, replacement.value);
        return store.compareAndSet(key, version, replacement);
      },
    };
    return { store: copy, values };
  }

  test("sees neither keys, principals, arguments, nor results", async () => {
    const { store, values } = spy();
    const { node } = createNode(() => "top secret result", { store });
    await call(node, {
      key: "my-own-key",
      principal: "ada@example.com",
      args: { card: "4242 4242 4242 4242" },
    });
    const seen = JSON.stringify([...values]);
    // The texts are long or have characters that random base64url never contains.
    for (const text of ["my-own-key", "ada@", "4242 ", "top secret"]) expect(seen).not.toContain(text);
    expect(seen).not.toMatch(/\bpay\b/);
    // The outcome, and the key for the opaque IDs of callers.
    expect([...values.keys()]).toEqual([
      expect.stringMatching(/^session-owners\/shop$/),
      expect.stringMatching(/^idempotency:/),
    ]);
  });

  test("cannot alter or exchange records", async () => {
    const { store, values } = spy();
    const handler = counting();
    const { node, log } = createNode(handler, { store, onLostNode: "retry" });
    await call(node, { key: "a" });
    const [place = ""] = values.keys();
    await call(node, { key: "b" });
    const [, moved = ""] = values.values();
    const original = values.get(place) ?? "";
    const altered = `${original.slice(0, -8)}AAAAAAAA`;
    for (const value of [altered, moved, "", "{}", original.slice(0, 40)]) {
      await store.set(place, value);
      expect((await call(node, { key: "a" })).error?.message).toMatch(UNKNOWN);
    }
    expect(handler.runs()).toBe(2);
    expect(log.every(({ event }) => event === "store-failed")).toBe(true);
    await store.set(place, original);
    expect(textOf(await call(node, { key: "a" }))).toBe("paid 1");
  });

  test("is required before the handler runs", async () => {
    const handler = counting();
    const { store } = spy();
    const down: KeyValueStore = { ...store, get: () => Promise.reject(new Error("10.0.0.5 refused")) };
    const { node, log } = createNode(handler, { store: down });
    const { error } = await call(node, { key: "a" });
    expect(error).toMatchObject({
      code: -32603,
      message: "Calls with an idempotency key are temporarily unavailable. Try again later.",
    });
    expect(handler.runs()).toBe(0);
    expect(log).toMatchObject([{ event: "store-failed", name: "pay" }]);
    expect(textOf(await call(node))).toBe("paid 1");
  });

  test("that fails after the handler ran does not hide the result", async () => {
    const { store } = spy();
    let isDown = false;
    const failing: KeyValueStore = {
      ...store,
      get: (key) => (isDown ? Promise.reject(new Error("down")) : store.get(key)),
    };
    const { node, log } = createNode(
      () => {
        isDown = true;
        return "paid";
      },
      { store: failing },
    );
    expect(textOf(await call(node, { key: "a" }))).toBe("paid");
    expect(log).toMatchObject([{ event: "store-failed", name: "pay" }]);
  });

  test("that is down for many calls is logged once", async () => {
    const { store } = spy();
    const down: KeyValueStore = { ...store, get: () => Promise.reject(new Error("10.0.0.5 refused")) };
    const { node, log } = createNode(counting(), { store: down });
    const calls = Array.from({ length: 50 }, (_, index) => call(node, { key: `key-${index}` }));
    for (const { error } of await Promise.all(calls))
      expect(error?.message).toContain("temporarily unavailable");
    expect(log.map(({ event }) => event)).toEqual(["store-failed"]);
  });

  test("that loses the reply to the first write does not block the key", async () => {
    const store = createMemoryKeyValueStore();
    let losses = 1;
    const lossy: KeyValueStore = {
      ...store,
      async compareAndSet(key, version, replacement) {
        const isWritten = await store.compareAndSet(key, version, replacement);
        if (losses-- > 0) throw new Error("The reply was lost.");
        return isWritten;
      },
    };
    const handler = counting();
    const { node } = createNode(handler, { store: lossy });
    expect((await call(node, { key: "k" })).error).toMatchObject({
      message: "Calls with an idempotency key are temporarily unavailable. Try again later.",
    });
    expect(textOf(await call(node, { key: "k" }))).toBe("paid 1");
    expect(handler.runs()).toBe(1);
  });

  test("is not used for calls without a key", async () => {
    const get = vi.fn(() => Promise.reject(new Error("not used")));
    const { node } = createNode(counting(), { store: { ...createMemoryKeyValueStore(), get } });
    expect(textOf(await call(node))).toBe("paid 1");
    expect(get).not.toHaveBeenCalled();
  });
});

describe("a tool that runs as a task", () => {
  function createTaskNode(store: SharedStore, handler: Handler, prepare?: () => void) {
    const task = { mode: "optional" as const, ...(prepare === undefined ? {} : { prepare }) };
    const node = defineServer({ name: "shop", version: "1.0.0" })
      .use(idempotency({ store }))
      .extension(tasks({ pollIntervalMs: 5 }))
      .tool("pay", { task, input: z.looseObject({}), handler: (args, c) => handler(args, c) as string })
      .build();
    onTestFinished(() => node.close());
    return node;
  }

  test.each<[string, CallOptions]>([
    ["`_meta`", { key: "a" }],
    ["the header", { header: '"a"' }],
  ])("runs its handler once for a key in %s, and every task has the first result", async (_place, key) => {
    const prepare = vi.fn();
    const handler = counting();
    const node = createTaskNode(createMemoryStore(), handler, prepare);
    const client = await createClient(node, { revision: MODERN, tasks: true });
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const pay = async () => {
      const { result } = await call(node, { ...key, capabilities });
      const taskId = result?.["taskId"];
      return vi.waitFor(async () => {
        const task = await client.request("tasks/get", { taskId });
        expect(task["status"]).toBe("completed");
        return task["result"] as JsonObject;
      });
    };
    expect([await pay(), await pay()].map((result) => textOf({ result }))).toEqual(["paid 1", "paid 1"]);
    expect(handler.runs()).toBe(1);
    expect(prepare).toHaveBeenCalledTimes(2);
  });
});

describe("invalid options are rejected", () => {
  const store = createMemoryStore();
  test.each<[object, string]>([
    [{ store, ttl: 1 }, "idempotency: unknown option `ttl`. Did you mean `ttlMs`?"],
    [{ store, ttlMs: 0 }, "idempotency: `ttlMs` must be a positive integer (milliseconds); got 0."],
    [
      { store, maxResultBytes: 1.5 },
      "idempotency: `maxResultBytes` must be a positive integer (bytes); got 1.5.",
    ],
    [{ store, onLostNode: "run" }, 'idempotency: `onLostNode` must be "reject" or "retry"; got "run".'],
    [
      {},
      "idempotency: `store` is required. Set it to a shared store or a key-value store. Pass `createMemory",
    ],
    [{ store: null }, "idempotency: `store` must be a shared store or a key-value store; got null."],
    [{ store: {} }, "idempotency: `store` must be a shared store or a key-value store; got an object."],
  ])("%#", (options, message) => {
    expect(() => idempotency(options as IdempotencyOptions)).toThrow(message);
    expect(() => idempotency(options as IdempotencyOptions)).toThrow(TypeError);
  });
});
