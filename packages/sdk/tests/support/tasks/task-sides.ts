/**
 * @fileoverview Runs the same task code on the official SDK's `McpServer` and on ours, over in-memory and HTTP
 * transports, and compares what a client receives.
 * @module tests/sdk/support/tasks/task-sides
 */
import { randomUUID } from "node:crypto";
import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { McpServerOptions } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  type ClientCapabilities,
  LoggingMessageNotificationSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { McpServer, Official, outcomeOf } from "../both-sides.js";

export type Wire = "memory" | "http";
export const WIRES: readonly Wire[] = ["memory", "http"];

/** A server with tasks, and a connected client. */
export interface TaskSide {
  readonly server: Official;
  readonly client: Client;
  readonly store: InMemoryTaskStore;
  readonly queue: InMemoryTaskMessageQueue;
  /** Notifications that the client received. */
  readonly heard: { readonly method: string; readonly params?: unknown }[];
  /** Errors that no caller received. */
  readonly errors: Error[];
}

export interface TaskSideOptions {
  readonly server?: McpServerOptions;
  readonly withoutStore?: boolean;
  readonly withoutQueue?: boolean;
  readonly clientCapabilities?: ClientCapabilities;
  readonly client?: () => Partial<ConstructorParameters<typeof Client>[1]>;
  readonly prepare?: (client: Client) => void;
}

/** Registration code. Receives the store, as application code has access to it too. */
export type RegisterTasks = (server: Official, side: Pick<TaskSide, "store" | "queue">) => unknown;

type OfficialClass = new (...given: ConstructorParameters<typeof Official>) => Official;

/** Capabilities for tasks of tool calls. */
export const TASKS = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

export const TEXT = (text: string) => ({ content: [{ type: "text" as const, text }] });

/** Starts one server and connects a client. */
export async function startSide(
  Class: OfficialClass,
  wire: Wire,
  [register, options]: readonly [RegisterTasks, TaskSideOptions],
): Promise<TaskSide> {
  const store = new InMemoryTaskStore();
  const queue = new InMemoryTaskMessageQueue();
  const server = new Class(
    { name: "side", version: "1.0.0" },
    {
      capabilities: { logging: {}, ...TASKS },
      ...(options.withoutStore === true ? {} : { taskStore: store }),
      ...(options.withoutQueue === true ? {} : { taskMessageQueue: queue }),
      ...options.server,
    },
  );
  const errors: Error[] = [];
  server.server.onerror = (error) => errors.push(error);
  register(server, { store, queue });
  const client = new Client(
    { name: "client", version: "2.0.0" },
    { capabilities: options.clientCapabilities ?? {}, ...options.client?.() },
  );
  const heard: TaskSide["heard"] = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, (message) => void heard.push(message));
  client.setNotificationHandler(LoggingMessageNotificationSchema, (message) => void heard.push(message));
  options.prepare?.(client);
  await (wire === "memory" ? connectInMemory(server, client) : connectOverHttp(server, client));
  onTestFinished(() => {
    store.cleanup();
    return client.close();
  });
  return { server, client, store, queue, heard, errors };
}

/** Starts both servers, the official one first. */
export async function bothTaskSides(
  wire: Wire,
  register: RegisterTasks,
  options: TaskSideOptions = {},
): Promise<readonly [TaskSide, TaskSide]> {
  return [
    await startSide(Official, wire, [register, options]),
    await startSide(McpServer as unknown as OfficialClass, wire, [register, options]),
  ];
}

/** Runs the same code against both servers. Returns the comparable outcomes, the official one first. */
export async function compareTasks(
  wire: Wire,
  [register, options]: readonly [RegisterTasks, TaskSideOptions?],
  ask: (side: TaskSide) => Promise<unknown>,
): Promise<readonly [unknown, unknown]> {
  const [first, second] = await bothTaskSides(wire, register, options ?? {});
  return [comparable(await outcomeOf(ask(first))), comparable(await outcomeOf(ask(second)))];
}

/** Replaces values that differ in every run: IDs of tasks and times. */
export function comparable(value: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value) ?? "null";
  return JSON.parse(
    text
      .replaceAll(/\b[0-9a-f]{32}\b/g, (id) => {
        const name = ids.get(id) ?? `task-${ids.size + 1}`;
        ids.set(id, name);
        return name;
      })
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"),
  ) as unknown;
}

async function connectInMemory(server: Official, client: Client): Promise<void> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
}

async function connectOverHttp(server: Official, client: Client): Promise<void> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => randomUUID() });
  await server.connect(transport);
  const url = await listen((req, res) => void transport.handleRequest(req, res));
  await client.connect(new StreamableHTTPClientTransport(url));
  onTestFinished(() => server.close());
}

/** Starts an HTTP server that is closed after the test. */
export async function listen(handler: Parameters<typeof createServer>[1] & object): Promise<URL> {
  const http: HttpServer = createServer(handler);
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    return new Promise<void>((resolve) => void http.close(() => resolve()));
  });
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}
