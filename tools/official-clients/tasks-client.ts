/**
 * @fileoverview The official client for the Tasks extension, on the official SDK's client, version 2. The SDK's client
 * does not know the results of tasks, so the extension's client sends its requests directly over the transport.
 * @module tools/official-clients/tasks-client
 */
import { Client, type Transport } from "@modelcontextprotocol/client";
import {
  createTaskSessionFromClient,
  type DispatchOptions,
  type JsonRpcResponse,
  type RawClientDispatch,
  type TaskEnabledSession,
  type WithTasksOptions,
} from "@modelcontextprotocol/ext-tasks/client";
import type { JsonObject } from "@tenon/internal/json";
import { CAPABILITIES, CLIENT_INFO } from "./official-client.js";

/** The client and its session. */
export interface TasksClient<Context = void> {
  readonly client: Client;
  readonly session: TaskEnabledSession<Context>;
  /** Notifications as the server sent them. The SDK's client removes members that it does not know. */
  readonly notifications: readonly SentNotification[];
  close(): Promise<void>;
}

/** Notification from the server. */
export interface SentNotification {
  readonly method: string;
  readonly params: JsonObject;
}

/** Name of the server in references to tasks. A reference is valid in every session with this name. */
export const ENDPOINT_ID = "tasks-server";

const REVISION = "2026-07-28";

/** The extension's client declares the extension in its own requests. The SDK's client does it in the others. */
const WITH_TASKS = { ...CAPABILITIES, extensions: { "io.modelcontextprotocol/tasks": {} } };

/** Connects a client over a transport, and opens a session for tasks. */
export async function connectTasksClient<Context = void>(
  transport: Transport,
  options: WithTasksOptions<Context> = {},
): Promise<TasksClient<Context>> {
  const client = new Client(CLIENT_INFO, {
    versionNegotiation: { mode: { pin: REVISION } },
    capabilities: WITH_TASKS,
  });
  await client.connect(transport);
  const notifications: SentNotification[] = [];
  const dispatch = createDispatch(transport, (notification) => notifications.push(notification));
  const session = createTaskSessionFromClient<Context>(client, {
    endpointId: ENDPOINT_ID,
    rawDispatch: dispatch,
    v2RequestFraming: {
      protocolVersion: REVISION,
      clientInfo: { ...CLIENT_INFO },
      clientCapabilities: CAPABILITIES,
    },
    ...options,
  });
  return {
    client,
    session,
    notifications,
    async close() {
      await session.close();
      await client.close();
    },
  };
}

/**
 * Sends requests with their own IDs. Their responses do not reach the SDK's client.
 *
 * @param onNotification called with every notification before the SDK's client
 */
function createDispatch(
  transport: Transport,
  onNotification: (notification: SentNotification) => void,
): RawClientDispatch {
  const pending = new Map<unknown, (response: JsonRpcResponse) => void>();
  const forward = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is not an event target
  transport.onmessage = (message, extra) => {
    const { id, result, error } = message as { id?: unknown; result?: JsonObject; error?: RpcError };
    if (id === undefined) onNotification(message as unknown as SentNotification); // Safe: it has no ID
    const settle = pending.get(id);
    if (settle === undefined) return forward?.(message, extra);
    pending.delete(id);
    // Safe: JSON that the transport has parsed.
    settle((error === undefined ? { kind: "result", result } : { kind: "error", error }) as JsonRpcResponse);
  };
  let count = 0;
  return async (request, { signal, context }: DispatchOptions = {}) => {
    signal?.throwIfAborted();
    const id = `task-request-${++count}`;
    // Safe: the extension's client creates only requests.
    const message = { jsonrpc: "2.0", id, ...(request as unknown as { method: string }) } as const;
    const options = {
      ...(context?.headers === undefined ? {} : { headers: { ...context.headers } }),
      ...(signal === undefined ? {} : { requestSignal: signal }),
    };
    let onAbort = () => {};
    try {
      return await new Promise<JsonRpcResponse>((resolve, reject) => {
        onAbort = () => reject(signal?.reason);
        signal?.addEventListener("abort", onAbort);
        pending.set(id, resolve);
        transport.send(message, options).catch(reject);
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
      pending.delete(id);
    }
  };
}

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}
