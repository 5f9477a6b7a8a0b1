/**
 * @fileoverview A minimal client for tasks, over HTTP: creates a task, follows its status, answers its questions, and
 * returns its outcome.
 * @module examples/tasks/client
 */
import { setTimeout as sleep } from "node:timers/promises";

/** JSON object on the wire. */
export type Json = Readonly<Record<string, unknown>>;

/** Sends a request and returns its result. */
export type Send = (method: string, params: Json) => Promise<Json>;

/** A task, as in the result of `tasks/get`. */
export interface TaskView {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  readonly statusMessage?: string;
  readonly pollIntervalMs?: number;
  /** Open questions, if the status is `input_required`. */
  readonly inputRequests?: Readonly<Record<string, { readonly params: Json }>>;
  /** The result of the call, if the status is `completed`. */
  readonly result?: Json;
  /** A JSON-RPC error, if the status is `failed`. */
  readonly error?: { readonly code: number; readonly message: string };
}

/** Functions that a client calls while it follows a task. */
export interface TaskHandlers {
  /** Called when the status or its message has changed. */
  readonly onStatus: (task: TaskView) => void;
  /** Returns the user's answer to a question. */
  readonly answer: (key: string, params: Json) => Json;
}

/** Polls a task until it has finished, and answers its questions. */
export async function followTask(send: Send, taskId: string, handlers: TaskHandlers): Promise<TaskView> {
  let last = "";
  for (;;) {
    const task = (await send("tasks/get", { taskId })) as unknown as TaskView; // Safe: a Tenon server sent it
    const seen = `${task.status} ${task.statusMessage}`;
    if (seen !== last) handlers.onStatus(task);
    last = seen;
    if (isFinal(task)) return task;
    const inputResponses = Object.fromEntries(
      Object.entries(task.inputRequests ?? {}).map(([key, { params }]) => [
        key,
        handlers.answer(key, params),
      ]),
    );
    if (Object.keys(inputResponses).length > 0) await send("tasks/update", { taskId, inputResponses });
    else await sleep(task.pollIntervalMs ?? 1_000);
  }
}

function isFinal({ status }: TaskView): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

const REVISION = "2026-07-28";

/** Values that every request of this client contains. The extension is declared each time. */
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION,
  "io.modelcontextprotocol/clientInfo": { name: "tasks-example", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

/** Returns a function that sends requests to an endpoint. It throws an error for an error response. */
export function connect(url: string): Send {
  let id = 0;
  return async (method, params) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": method,
        "mcp-name": String(params["taskId"] ?? params["name"]),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params: { ...params, _meta: META } }),
    });
    const { result, error } = (await response.json()) as { result?: Json; error?: { message: string } };
    if (result === undefined) throw new Error(error?.message ?? `Unexpected response to ${method}.`);
    return result;
  };
}
