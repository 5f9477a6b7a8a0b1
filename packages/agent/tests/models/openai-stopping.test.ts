import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ModelError, type ModelPiece, type ModelPort } from "../../src/models/model-port.js";
import {
  type Behaviour,
  beginStream,
  chunk,
  collect,
  conversation,
  createTestPorts,
  DONE,
  modelOn,
  startModelServer,
  stream,
} from "../support/models/model-server.js";

const hello: Behaviour = (response) => void beginStream(response).write(chunk({ content: "Hel" }));
const PHASES: readonly [string, Behaviour][] = [
  ["while waiting for the response headers", () => {}],
  ["while waiting for the first event", (response) => beginStream(response).flushHeaders()],
  ["in the middle of the answer", hello],
  [
    "while reading a complete response",
    (response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"),
  ],
  ["while reading an error response", (response) => void response.writeHead(500).write("x")],
  ["between two attempts", (response) => void response.writeHead(503, { "retry-after": "30" }).end()],
  [
    "after the end of the answer",
    (response) => void beginStream(response).write(chunk({ content: "Hel" }, "stop")),
  ],
];

/** Counts the listeners on a signal. */
class CountedSignal {
  readonly controller = new AbortController();
  count = 0;

  constructor() {
    const { signal } = this.controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      this.count++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      this.count--;
      remove(...args);
    };
  }
}

const rejections: unknown[] = [];
const note = (reason: unknown) => rejections.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", note);
  expect(rejections.splice(0)).toEqual([]);
});

/** Waits until the server was called and its data has arrived. */
async function settle(requests: readonly unknown[]) {
  while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => setTimeout(resolve, 40));
}

describe("aborting the signal", () => {
  test.each(PHASES)("%s stops immediately with the signal's reason", async (_title, behave) => {
    const server = await startModelServer(behave);
    const { ports, running } = createTestPorts({ waits: "real" });
    const model = modelOn(server.baseUrl, {
      ports: { ...ports, randomBytes: (n) => new Uint8Array(n).fill(255) },
    });
    const counted = new CountedSignal();
    const result = collect(model(conversation(), counted.controller.signal));
    await settle(server.requests);
    const reason = new Error("the user left");
    const abortedAt = performance.now();
    counted.controller.abort(reason);
    expect((await result).error).toBe(reason);
    expect(performance.now() - abortedAt).toBeLessThan(20_000);
    expect([running.size, counted.count]).toEqual([0, 0]);
    if (behave !== PHASES[5]?.[1]) await server.closed(); // no connection is open between attempts
    expect(server.requests).toHaveLength(1);
  });

  test("before the first piece sends no request", async () => {
    const server = await startModelServer(hello);
    const reason = new Error("too late");
    const result = await collect(modelOn(server.baseUrl)(conversation(), AbortSignal.abort(reason)));
    expect(result).toEqual({ pieces: [], error: reason });
    expect(server.requests).toEqual([]);
  });

  test("while the consumer works drops buffered pieces and closes the connection", async () => {
    const server = await startModelServer((response) => {
      beginStream(response).write(chunk({ content: "a" }) + chunk({ content: "b" }));
    });
    const controller = new AbortController();
    const pieces = modelOn(server.baseUrl)(conversation(), controller.signal)[Symbol.asyncIterator]();
    expect(await pieces.next()).toEqual({ value: "a", done: false });
    controller.abort(new Error("the user left"));
    await server.closed();
    await expect(pieces.next()).rejects.toThrow("the user left");
    expect(await pieces.next()).toEqual({ value: undefined, done: true });
  });
});

describe("stopping the consumer", () => {
  test("by leaving the loop closes the connection", async () => {
    const server = await startModelServer(hello);
    const { ports, running } = createTestPorts();
    const counted = new CountedSignal();
    for await (const piece of modelOn(server.baseUrl, { ports })(conversation(), counted.controller.signal)) {
      expect(piece).toBe("Hel");
      break;
    }
    await server.closed();
    expect([running.size, counted.count]).toEqual([0, 0]);
  });

  test.each(PHASES)("by return() %s stops immediately, without an error", async (_title, behave) => {
    const server = await startModelServer(behave);
    const { ports, running } = createTestPorts({ waits: "real" });
    const model = modelOn(server.baseUrl, {
      ports: { ...ports, randomBytes: (n) => new Uint8Array(n).fill(255) },
    });
    const counted = new CountedSignal();
    const pieces = model(conversation(), counted.controller.signal)[Symbol.asyncIterator]();
    const seen: ModelPiece[] = [];
    const readAll = async () => {
      for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
        seen.push(next.value);
    };
    const reading = readAll();
    await settle(server.requests);
    const stoppedAt = performance.now();
    expect(await pieces.return?.()).toEqual({ value: undefined, done: true });
    await reading;
    expect(performance.now() - stoppedAt).toBeLessThan(20_000);
    expect([running.size, counted.count]).toEqual([0, 0]);
    if (behave !== PHASES[5]?.[1]) await server.closed();
  });

  test("by return() before the first piece sends no request", async () => {
    const server = await startModelServer(hello);
    const pieces = modelOn(server.baseUrl)(conversation(), new AbortController().signal)[
      Symbol.asyncIterator
    ]();
    expect(await pieces.return?.()).toEqual({ value: undefined, done: true });
    expect(await pieces.next()).toEqual({ value: undefined, done: true });
    expect(server.requests).toEqual([]);
  });
});

describe("a response that ends normally", () => {
  test.each<[string, Behaviour]>([
    ["with success", stream(chunk({ content: "ok" }, "stop"), DONE)],
    ["with a failure", stream(chunk({ content: "ok" }))],
  ])("%s leaves no timers or listeners behind", async (_title, behave) => {
    const server = await startModelServer(behave);
    const { ports, running } = createTestPorts();
    const counted = new CountedSignal();
    const model: ModelPort = modelOn(server.baseUrl, { ports });
    const { pieces, error } = await collect(model(conversation(), counted.controller.signal));
    expect(pieces[0]).toBe("ok");
    expect(error === undefined || error instanceof ModelError).toBe(true);
    expect([running.size, counted.count]).toEqual([0, 0]);
  });

  test("one model serves many parallel conversations with different endings", async () => {
    const server = await startModelServer((response, count) => {
      if (count % 3 === 0) response.socket?.destroy();
      else if (count % 3 === 1) hello(response, count);
      else stream(chunk({ content: "ok" }, "stop"), DONE)(response, count);
    });
    const { ports, running } = createTestPorts({ idleMs: 3_000 });
    const model = modelOn(server.baseUrl, { ports, idleTimeoutMs: 3_000, maxAttempts: 1 });
    const results = await Promise.all(
      Array.from({ length: 30 }, () => collect(model(conversation(), new AbortController().signal))),
    );
    const texts = results.map(
      ({ pieces, error }) =>
        `${pieces.filter((piece) => typeof piece === "string").join("")}/${(error as Error | undefined)?.message ?? ""}`,
    );
    const counts = Object.fromEntries(
      [...new Set(texts)].map((text) => [text, texts.filter((one) => one === text).length]),
    );
    expect(counts["ok/"]).toBe(10);
    expect(counts["Hel/The model server timed out (no data for 3000 ms)."]).toBe(10);
    expect(running.size).toBe(0);
  });
});
