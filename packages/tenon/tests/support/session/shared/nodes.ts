/**
 * @fileoverview Nodes that share a store in one process, for tests.
 * @module tests/tenon/support/session/shared/nodes
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { form } from "../../../../src/core/call/forms.js";
import { defineServer } from "../../../../src/core/define-server.js";
import type { ServerOptions } from "../../../../src/core/definitions/options.js";
import type { Server } from "../../../../src/core/server.js";
import type { HttpOptions } from "../../../../src/transport/http/options.js";
import type { FakeClock } from "../../../../../../tests/support/http-clock.js";
import { type Endpoint, FETCH, NODE } from "../../../../../../tests/support/http-faces.js";
import type { LegacyClient } from "../../../../../../tests/support/http-messages.js";

/** One of several nodes. */
export interface TestNode {
  readonly server: Server;
  readonly endpoint: Endpoint;
  /** Tool calls of this node. */
  readonly seen: Seen;
}

/** Tool calls of a node. */
export interface Seen {
  started: number;
  aborted: number;
  /** Ends the waiting calls. */
  release(): void;
}

/** Options for nodes. */
export interface NodesOptions {
  readonly store?: SharedStore;
  readonly http?: HttpOptions<unknown>;
  readonly server?: Partial<ServerOptions>;
  /** Serves on real sockets. */
  readonly sockets?: boolean;
}

/** Starts one node of a server. */
export async function startNode(options: NodesOptions = {}): Promise<TestNode> {
  const { server, seen } = createServer(options.server);
  const face = options.sockets === true ? NODE : FETCH;
  const store = options.store ?? createMemoryStore();
  const endpoint = await face.open(server, { ...options.http, store });
  // Callbacks run in reverse order: calls must end before the node closes.
  onTestFinished(() => seen.release());
  return { server, seen, endpoint };
}

/** Starts two nodes that share a store. */
export async function startNodes(options: NodesOptions = {}): Promise<readonly [TestNode, TestNode]> {
  const shared = { ...options, store: options.store ?? createMemoryStore() };
  return [await startNode(shared), await startNode(shared)];
}

/** Combines nodes to an endpoint that sends each request to the next node. */
export function rotate(nodes: readonly TestNode[]): Endpoint {
  let turn = 0;
  const next = () => {
    const node = nodes[turn++ % nodes.length];
    if (node === undefined) throw new Error("Expected at least one node.");
    return node.endpoint;
  };
  return { port: 0, fetch: (init, path) => next().fetch(init, path), close: async () => undefined };
}

/** Returns the same client on a different node. */
export function moveTo(
  { endpoint }: Pick<TestNode, "endpoint">,
  { id, headers }: Pick<LegacyClient, "id" | "headers">,
): LegacyClient {
  const send = (init: RequestInit) => endpoint.fetch(init);
  const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const moved: LegacyClient = {
    id,
    headers,
    post: (body, signal) =>
      send({
        method: "POST",
        headers: { ...json, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    call: (name, args = {}, callId = 1) =>
      moved.post({ jsonrpc: "2.0", id: callId, method: "tools/call", params: { name, arguments: args } }),
    get: (lastEventId, signal) =>
      send({
        method: "GET",
        headers: {
          ...headers,
          accept: "text/event-stream",
          ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
        },
        ...(signal === undefined ? {} : { signal }),
      }),
    end: () => send({ method: "DELETE", headers }),
  };
  return moved;
}

function createServer(options: Partial<ServerOptions> = {}): {
  readonly server: Server;
  readonly seen: Seen;
} {
  const seen: Seen = { started: 0, aborted: 0, release: () => {} };
  const gate = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer({ name: "shared", version: "1.0.0", log: () => undefined, ...options })
    .resource("note", { uri: "test://note", handler: () => "note" })
    .resource("page", { uri: "test://page", handler: () => "page" })
    .resourceTemplate("item", { uriTemplate: "test://item/{id}", handler: ({ id }) => `item ${id}` })
    .tool("echo", { input: z.object({ text: z.string() }), handler: ({ text }) => text })
    .tool("count", {
      input: z.object({ to: z.int() }),
      handler: async ({ to }, call) => {
        for (let number = 1; number <= to; number++) await call.log("info", number);
        return "done";
      },
    })
    .tool("shout", {
      input: z.object({ length: z.int() }),
      handler: async ({ length }, call) => {
        await call.log("info", "first");
        return "x".repeat(length);
      },
    })
    .tool("wait", {
      handler: async (_, call) => {
        seen.started++;
        call.signal.addEventListener("abort", () => seen.aborted++);
        await call.log("info", "started");
        await gate;
        await call.log("info", "released");
        return "waited";
      },
    })
    .tool("quiet", {
      handler: async (_, call) => {
        seen.started++;
        call.signal.addEventListener("abort", () => seen.aborted++);
        await gate;
        return "waited";
      },
    })
    .tool("ask", {
      handler: async (_, call) => {
        const answer = await call.input("name", NAME);
        return answer.action === "accept" ? `Hello ${answer.content.name}` : "Never mind";
      },
    })
    .build();
  return { server, seen };
}

const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });

/** Result with one text. */
export const text = (value: string) => ({ content: [{ type: "text", text: value }] });

/** Log notification of a tool. */
export const logged = (data: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data },
});

/** Store that fails or alters its content on demand. */
export interface FaultyStore {
  readonly store: SharedStore;
  /** True to reject all operations and to lose all messages. */
  isCut: boolean;
  /** Changes the values and events that are read. */
  alter: (text: string, id: string) => string;
}

/** Wraps a node's access to a shared store. */
export function createFaultyStore(inner: SharedStore): FaultyStore {
  const guard = <T>(work: () => Promise<T>): Promise<T> =>
    faulty.isCut ? Promise.reject(new Error("secret text of the backend at 10.0.0.5")) : work();
  const wrap = (values: SharedStore["values"]): SharedStore["values"] => ({
    get: (key) =>
      guard(async () => {
        const entry = await values.get(key);
        return entry && { ...entry, value: faulty.alter(entry.value, key) };
      }),
    set: (...rest) => guard(() => values.set(...rest)),
    compareAndSet: (...rest) => guard(() => values.compareAndSet(...rest)),
    delete: (key) => guard(() => values.delete(key)),
    touch: (...rest) => guard(() => values.touch(...rest)),
  });
  const { events, bus } = inner;
  const faulty: FaultyStore = {
    isCut: false,
    alter: (text) => text,
    store: {
      ...inner,
      sessions: {
        ...wrap(inner.sessions),
        create: (...rest) => guard(() => inner.sessions.create(...rest)),
      },
      values: wrap(inner.values),
      events: {
        append: (...rest) => guard(() => events.append(...rest)),
        read: (...rest) =>
          guard(async () => {
            const found = await events.read(...rest);
            if (!found.ok) return found;
            return {
              ok: true,
              events: found.events.map(({ id, event }) => ({ id, event: faulty.alter(event, id) })),
            };
          }),
        delete: (name) => guard(() => events.delete(name)),
      },
      bus: {
        publish: (...rest) => guard(() => bus.publish(...rest)),
        subscribe: (channel, listener, options) =>
          guard(() =>
            bus.subscribe(channel, (message) => (faulty.isCut ? undefined : listener(message)), options),
          ),
      },
    },
  };
  return faulty;
}

/** Wraps a node's access to a shared store. Every operation takes a few turns of the event loop, as over a network. */
export function createSlowStore(inner: SharedStore, turnsOf: () => number): SharedStore {
  const slow = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return async (...given: unknown[]) => {
          await turns(turnsOf());
          const result: unknown = await Reflect.apply(member, target, given);
          await turns(turnsOf());
          return result;
        };
      },
    });
  const { sessions, values, events, bus } = inner;
  return { ...inner, sessions: slow(sessions), values: slow(values), events: slow(events), bus: slow(bus) };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** Lets time pass in steps of a second, so that every node can do its periodic work. */
export async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    clock.advance(Math.min(left, 1_000));
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  }
}
