import { request } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { defineServer } from "../../../src/core/define-server.js";
import { renderMetrics, withLabel } from "../../../src/transport/node/health/metrics-text.js";
import { Readiness } from "../../../src/transport/node/health/readiness.js";
import { StoreTimings } from "../../../src/transport/node/health/store-timings.js";
import type { ServeOptions } from "../../../src/transport/node/serve-options.js";
import { serve } from "../../../src/transport/node/serve.js";
import { modernCall, openSession } from "../../../../../tests/support/http-messages.js";

const OK = '{"status":"ok"}';
const UNAVAILABLE = '{"status":"unavailable"}';

async function start(options: ServeOptions<unknown> = {}) {
  const server = defineServer({ name: "health", version: "1.0.0" }).tool("echo", { handler: () => "ok" });
  const running = await serve(server, { port: 0, banner: false, signals: false, ...options });
  onTestFinished(() => running.close());
  const url = running.url ?? "";
  const get = async (path: string) => {
    const response = await fetch(new URL(path, url));
    return { status: response.status, body: await response.text() };
  };
  return { running, url, get };
}

/** Store in memory whose backend can be made unavailable. */
function createFlakyStore() {
  const state = { isUp: true, pings: 0, opened: 0, released: 0 };
  const store: SharedStore = {
    ...createMemoryStore(),
    name: "flaky",
    async open(warn) {
      state.opened++;
      warn("The store is flaky.\nDo not use it.");
      return async () => void state.released++;
    },
    async ping() {
      state.pings++;
      if (!state.isUp) throw new Error("secret-host is down");
    },
  };
  return { state, store };
}

describe("serve with a store", () => {
  test("opens the store before it listens, prints its warnings, and releases it on close", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    const { state, store } = createFlakyStore();
    const { running } = await start({ store });
    expect(state).toMatchObject({ opened: 1, released: 0 });
    const lines = write.mock.calls.map(([text]) => text);
    expect(lines).toEqual([
      expect.stringMatching(/^\S+ \[tenon\] The store is flaky\.[^\n]*Do not use it\.\n$/),
    ]);
    await running.close();
    await running.close();
    expect(state).toMatchObject({ opened: 1, released: 1 });
  });

  test("releases the store if it cannot listen", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => write.mockRestore());
    const { url } = await start();
    const { state, store } = createFlakyStore();
    await expect(start({ store, port: Number(new URL(url).port) })).rejects.toThrow("is already in use");
    expect(state).toMatchObject({ opened: 1, released: 1 });
  });

  test("rejects with one sentence if the store cannot be opened", async () => {
    const store: SharedStore = {
      ...createMemoryStore(),
      name: "Redis at 10.0.0.5:6379",
      open: () => Promise.reject(new Error("connect ECONNREFUSED")),
    };
    const error: unknown = await start({ store }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      message: "Could not open the store (Redis at 10.0.0.5:6379): connect ECONNREFUSED",
      stack: "Error: Could not open the store (Redis at 10.0.0.5:6379): connect ECONNREFUSED",
    });
  });

  test.each<[unknown, string]>([
    ["redis://localhost:6379", "a string"],
    [{}, "an object"],
    [null, "null"],
  ])("rejects %j as a store", async (store, kind) => {
    // Safe: JavaScript callers can pass any value
    await expect(start({ store: store as SharedStore })).rejects.toThrow(
      new TypeError(
        `serve: \`store\` must be a shared store; got ${kind}. Pass the object that a store package, or \`createMemoryStore\` from \`tenon/stores\`, returns.`,
      ),
    );
  });

  test.each<[object, string]>([
    [{ store: createMemoryStore() }, "serve: `store` applies only to HTTP"],
    [{ workers: 2 }, "serve: `workers` applies only to HTTP"],
    [{ metrics: true }, "serve: `metrics` applies only to HTTP"],
    [{ workers: 2, transport: { type: "stdio" } }, "serve: `workers` applies only to HTTP"],
    [{ workers: 0, port: 0 }, 'serve: `workers` must be an integer from 1 to 512 or "auto"; got 0.'],
    [{ workers: "2", port: 0 }, 'serve: `workers` must be an integer from 1 to 512 or "auto"; got "2".'],
    [{ metrics: "yes", port: 0 }, 'serve: `metrics` must be true or false; got "yes".'],
    [{ redis: "redis://localhost", port: 0 }, "unknown option `redis`. Known options: `allowedHosts`"],
  ])("rejects the options %j", async (options, message) => {
    const server = defineServer({ name: "options", version: "1.0.0" });
    await expect(serve(server, options)).rejects.toThrow(message);
  });
});

describe("/healthz and /readyz", () => {
  test("a server without a store is alive and ready, and has no metrics", async () => {
    const { get } = await start();
    expect(await get("/healthz?probe=1")).toEqual({ status: 200, body: OK });
    expect(await get("/readyz")).toEqual({ status: 200, body: OK });
    expect(await get("/metrics")).toMatchObject({ status: 404 });
  });

  test("a server is ready while its store responds, and alive in any case", async () => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const { state, store } = createFlakyStore();
    const { get } = await start({ store });
    expect(await get("/readyz")).toEqual({ status: 200, body: OK });
    state.isUp = false;
    await vi.waitFor(async () => expect(await get("/readyz")).toEqual({ status: 503, body: UNAVAILABLE }));
    expect(await get("/healthz")).toEqual({ status: 200, body: OK });
    state.isUp = true;
    await vi.waitFor(async () => expect(await get("/readyz")).toEqual({ status: 200, body: OK }));
  });

  test("probes may send any Host, as the probes of an orchestrator do", async () => {
    const { url } = await start();
    for (const path of ["/healthz", "/readyz"]) {
      const status = await new Promise((resolve, reject) => {
        const sent = request(new URL(path, url), { headers: { host: "10.1.2.3:3000" } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on("error", reject).end();
      });
      expect([path, status]).toEqual([path, 200]);
    }
  });

  test("a server that is draining is not ready, but its store is up", async () => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const { running, get } = await start({ store: createFlakyStore().store, metrics: true, drainMs: 60_000 });
    expect(await get("/readyz")).toEqual({ status: 200, body: OK });
    void running.drain();
    expect(await get("/readyz")).toEqual({ status: 503, body: UNAVAILABLE });
    expect((await get("/metrics")).body).toMatch(/^tenon_store_up 1$/m);
  });

  test("concurrent checks share one ping, and its outcome is used for one second", async () => {
    let [now, pings] = [0, 0];
    const readiness = new Readiness({
      ping: async () => void pings++,
      now: () => now,
    });
    expect(await Promise.all(Array.from({ length: 100 }, () => readiness.check()))).not.toContain(false);
    expect(pings).toBe(1);
    now = 999;
    await readiness.check();
    expect(pings).toBe(1);
    now = 1_000;
    await readiness.check();
    expect(pings).toBe(2);
  });

  test("a store that never responds counts as unavailable", async () => {
    const readiness = new Readiness({ ping: () => new Promise(() => undefined), timeoutMs: 1 });
    expect(await readiness.check()).toBe(false);
  });
});

describe("/metrics", () => {
  test("contains sessions, requests, and the state of the store", async () => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const { state, store } = createFlakyStore();
    const { url, get } = await start({
      store: { ...store, countTasks: async () => ({ queued: 3, active: 2, stored: 7 }) },
      metrics: true,
    });
    await (await fetch(url, modernCall("echo"))).text();
    const fetchUrl = (init: RequestInit) => fetch(url, init);
    await openSession({ port: 0, fetch: fetchUrl, close: async () => undefined });
    await vi.waitFor(async () => {
      const { body } = await get("/metrics");
      expect(body).toMatch(/^tenon_requests_total\{status="2xx"\} 3$/m);
      expect(body).toMatch(/^tenon_requests_in_flight 0$/m);
      expect(body).toMatch(/^tenon_sessions \d+$/m);
      expect(body).toMatch(/^tenon_tasks\{state="queued"\} 3$/m);
      expect(body).toMatch(/^tenon_tasks\{state="active"\} 2$/m);
      expect(body).toMatch(/^tenon_tasks\{state="stored"\} 7$/m);
      expect(body).toMatch(/^tenon_store_up 1$/m);
      expect(body).toMatch(/^tenon_store_operation_seconds_count\{part="sessions"\} [1-9]/m);
      expect(body).toMatch(/^tenon_store_errors_total\{part="ping"\} 0$/m);
      for (const event of ["node-lost", "store-failed", "store-restored", "task-taken-over"])
        expect(body).toContain(`\ntenon_log_entries_total{event="${event}"} 0\n`);
      expect(body).toMatch(/^tenon_log_entries_total\{event="initialize"\} 1$/m);
      expect(body).toMatch(/^process_resident_memory_bytes [1-9]\d+$/m);
    });
    state.isUp = false;
    await vi.waitFor(async () => {
      const { status, body } = await get("/metrics");
      expect(status).toBe(200);
      expect(body).toMatch(/^tenon_store_up 0$/m);
      expect(body).toMatch(/^tenon_store_errors_total\{part="ping"\} [1-9]/m);
      expect(body).not.toContain("secret-host");
    });
  });

  test("durations are counted in cumulative buckets, and failures apart", async () => {
    const times = [0, 3, 0, 700, 0, 9_000];
    const timings = new StoreTimings(() => times.shift() ?? 0);
    const memory = createMemoryStore();
    let isUp = true;
    const get = async () => {
      if (!isUp) throw new Error("down");
      return undefined;
    };
    const store = timings.measure({ ...memory, values: Object.freeze({ ...memory.values, get }) });
    await store.values.get("a");
    await store.values.get("b");
    isUp = false;
    await expect(store.values.get("c")).rejects.toThrow("down");
    const text = renderMetrics(timings.metrics());
    const bucket = (le: string) => `tenon_store_operation_seconds_bucket{part="values",le="${le}"}`;
    expect(text).toContain(`${bucket("0.0025")} 0\n${bucket("0.005")} 1\n`);
    expect(text).toContain(`${bucket("0.5")} 1\n${bucket("1")} 2\n`);
    expect(text).toContain(`${bucket("5")} 2\n${bucket("+Inf")} 3\n`);
    expect(text).toContain('tenon_store_operation_seconds_sum{part="values"} 9.703\n');
    expect(text).toContain('tenon_store_operation_seconds_count{part="values"} 3\n');
    expect(text).toContain('tenon_store_errors_total{part="values"} 1\n');
  });

  test("texts are escaped, and metrics with the same name are merged", () => {
    const metric = { name: "m", help: "a\\b\nc", type: "gauge", samples: [{ value: 1 }] } as const;
    const text = renderMetrics([withLabel(metric, "l", 'x"\\\n'), withLabel(metric, "l", "y")]);
    expect(text).toBe('# HELP m a\\\\b\\nc\n# TYPE m gauge\nm{l="x\\"\\\\\\n"} 1\nm{l="y"} 1\n');
  });
});
