/**
 * @fileoverview Client of the Tasks extension for tests: creates tasks, waits for their states, and answers questions.
 * @module tests/tenon/support/tasks/task-client
 */
import type { JsonObject } from "@tenon/internal/json";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import { onTestFinished, vi } from "vitest";
import type { Server } from "../../../src/core/server.js";
import type { Auth } from "../../../src/core/wire/exchange.js";
import type { LogSink } from "../../../src/core/wire/log.js";
import type { ServerOptions } from "../../../src/core/definitions/options.js";
import { defineServer } from "../../../src/index.js";
import type { JsonRpcNotification, RpcError } from "../../../src/protocol/index.js";
import { type TasksOptions, tasks } from "../../../src/tasks/index.js";
import { type Client, createClient } from "../../../src/testing/index.js";
import { ClientError } from "../../../src/client/errors.js";

/** ID of the extension. */
export const EXTENSION = "io.modelcontextprotocol/tasks";

/** The only revision that has the extension. */
export const MODERN = "2026-07-28";

/** Capability that declares the extension. */
export const DECLARED = { extensions: { [EXTENSION]: {} } };

/** Capabilities of a client that declares the extension and accepts all questions. */
export const CAPABILITIES = { ...DECLARED, elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Data of the error for a client that did not declare the extension. */
export const MISSING_EXTENSION = { requiredCapabilities: DECLARED };

/** A task as `tasks/get` returns it. */
export interface WireTask extends JsonObject {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>;
  readonly result?: JsonObject & {
    readonly content: readonly { readonly type: string; readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
  };
  readonly error?: RpcError;
}

/** Client of the extension. */
export interface TaskClient {
  readonly client: Client;
  /** Calls a tool and returns the result as it is. */
  readonly call: (name: string, args?: JsonObject, more?: JsonObject) => Promise<JsonObject>;
  /** Calls a tool and returns the ID of the task. @throws if the result is not a task */
  readonly create: (name: string, args?: JsonObject, more?: JsonObject) => Promise<string>;
  readonly get: (taskId: string) => Promise<WireTask>;
  readonly answer: (taskId: string, inputResponses: JsonObject) => Promise<JsonObject>;
  readonly cancel: (taskId: string) => Promise<JsonObject>;
  /** Waits for a status. */
  readonly until: (taskId: string, status: string) => Promise<WireTask>;
  /** Waits until the task has finished. */
  readonly settled: (taskId: string) => Promise<WireTask>;
  /** Calls a tool and waits until its task has finished. */
  readonly run: (name: string, args?: JsonObject) => Promise<WireTask>;
}

/** Options for `connect`. */
export interface TaskClientOptions {
  readonly auth?: Auth;
  readonly context?: unknown;
  readonly capabilities?: JsonObject;
  readonly onNotification?: (notification: JsonRpcNotification) => void;
}

/** Creates a builder for a server with the extension. */
export function taskServer(options: TasksOptions = {}, server: Partial<ServerOptions> = {}) {
  return defineServer({ name: "tasks", version: "1.0.0", ...server }).extension(
    tasks({ pollIntervalMs: 5, progressIntervalMs: 0, ...options }),
  );
}

/** Connects a client. The server closes when the test ends. */
export async function connect(
  server: Pick<Server, "handle" | "attach" | "close">,
  options: TaskClientOptions = {},
): Promise<TaskClient> {
  onTestFinished(() => server.close());
  const client = await createClient(server, { revision: MODERN, capabilities: CAPABILITIES, ...options });
  const call = (name: string, args: JsonObject = {}, more: JsonObject = {}) =>
    client.request("tools/call", { name, arguments: args, ...more });
  const get = async (taskId: string) => (await client.request("tasks/get", { taskId })) as WireTask;
  const create = async (name: string, args?: JsonObject, more?: JsonObject) => {
    const result = await call(name, args, more);
    if (result["resultType"] !== "task") throw new Error(`Expected a task; got ${JSON.stringify(result)}`);
    return String(result["taskId"]);
  };
  const waitFor = (taskId: string, holds: (task: WireTask) => boolean) =>
    vi.waitFor(
      async () => {
        const task = await get(taskId);
        if (!holds(task)) throw new Error(`The task is ${JSON.stringify(task)}`);
        return task;
      },
      { timeout: 30_000, interval: 2 },
    );
  const settled = (taskId: string) => waitFor(taskId, isFinal);
  return {
    client,
    call,
    create,
    get,
    answer: (taskId, inputResponses) => client.request("tasks/update", { taskId, inputResponses }),
    cancel: (taskId) => client.request("tasks/cancel", { taskId }),
    async until(taskId, status) {
      // A finished task never gets another status, so there is nothing to wait for.
      const task = await waitFor(taskId, (one) => one.status === status || isFinal(one));
      if (task.status === status) return task;
      throw new Error(`Expected the status ${status}; got ${JSON.stringify(task)}`);
    },
    settled,
    run: async (name, args) => settled(await create(name, args)),
  };
}

/** Returns true for a task that has finished. */
export function isFinal({ status }: WireTask): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Returns the text of a result. */
export function textOf(result: JsonObject | undefined): string | undefined {
  const content = result?.["content"] as readonly { readonly text?: string }[] | undefined;
  return content?.map(({ text }) => text).join("");
}

/** Waits for a request to fail and returns its error. */
export async function errorOf(request: Promise<unknown>): Promise<RpcError> {
  const result: unknown = await request.catch((error: unknown) => error);
  if (!(result instanceof ClientError)) throw new Error(`Expected an error; got ${JSON.stringify(result)}`);
  const { code, message, data } = result;
  return data === undefined ? { code, message } : { code, message, data };
}

/** Creates an accepted form. */
export function accept(content: JsonObject): JsonObject {
  return { action: "accept", content };
}

/** Creates a log sink that collects errors. */
export function createErrorLog(): { readonly errors: unknown[]; readonly log: LogSink } {
  const errors: unknown[] = [];
  return { errors, log: (entry) => void ("error" in entry && errors.push(entry.error)) };
}

/** A promise with the functions that settle it. */
export interface Gate<T = void> {
  readonly promise: Promise<T>;
  readonly open: (value: T) => void;
  readonly fail: (error: unknown) => void;
}

/** Creates a promise that the test settles. */
export function createGate<T = void>(): Gate<T> {
  let open: Gate<T>["open"] = () => undefined;
  let fail: Gate<T>["fail"] = () => undefined;
  const promise = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  promise.catch(() => undefined);
  return { promise, open, fail };
}

/** Clock that a test moves. */
export interface TaskClock {
  readonly ports: Pick<Ports, "now" | "startTimer">;
  readonly now: () => number;
  /** Number of pending timers. */
  readonly timers: () => number;
  /** Moves the clock and runs the timers that are due. */
  readonly advance: (ms: number) => void;
}

/** Creates a clock that stands still. Timers without a delay run in the next turn of the event loop. */
export function createTaskClock(): TaskClock {
  let now = Date.UTC(2030, 0, 1);
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  return {
    ports: {
      now: () => now,
      startTimer(task, ms, background) {
        if (ms === 0) return systemPorts.startTimer(task, 0, background);
        const timer = { at: now + ms, task };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    now: () => now,
    timers: () => timers.size,
    advance(ms) {
      now += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now)) {
        timers.delete(timer);
        timer.task();
      }
    },
  };
}

/** Lets all pending promises and immediates run. */
export async function turn(times = 5): Promise<void> {
  for (let count = 0; count < times; count++) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
