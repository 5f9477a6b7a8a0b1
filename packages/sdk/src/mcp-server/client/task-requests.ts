/**
 * @fileoverview Sends requests to the client through the queue of a task, and requests that the client runs as a task.
 * @module sdk/mcp-server/client/task-requests
 */
import type { Exchange } from "tenon";
import type { ClientCapabilities } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import type { FacadeExchange } from "../requests/request-scope.js";
import { withRelatedTask } from "../requests/task-types.js";
import type { AskOptions, OutgoingRequest } from "../requests/types.js";
import type { TaskSupport } from "../tasks/task-support.js";
import { prepare } from "./client-requests.js";
import { cancellerOf, type RequestLine, sendRequest } from "./send-request.js";

/** Client that a task's messages are for. */
export interface Recipient {
  readonly exchange: FacadeExchange;
  /** Sends a message at any time. Missing if the transport cannot do that. */
  readonly notify: Exchange["notify"];
}

/** Adds the parameters of a request that the client is to run as a task. */
export function withTaskOptions(request: OutgoingRequest, { task }: AskOptions): OutgoingRequest {
  return task === undefined ? request : { ...request, params: { ...request.params, task } };
}

/**
 * Asserts that the client can run a request as a task. Used only with the option `enforceStrictCapabilities`.
 *
 * @throws with the official SDK's text if it cannot
 */
export function assertTaskDeclared(method: string, declared: ClientCapabilities | undefined): void {
  const requests = declared?.tasks?.["requests"];
  if (!isJsonObject(requests)) {
    throw new Error(`Client does not support task creation (required for ${method})`);
  }
  const [feature = "", action = ""] = TASK_REQUESTS.includes(method) ? method.split("/") : [];
  const supported = requests[feature];
  if (feature !== "" && !(isJsonObject(supported) && supported[action])) {
    throw new Error(`Client does not support task creation for ${method} (required for ${method})`);
  }
}

const TASK_REQUESTS: readonly string[] = ["sampling/createMessage", "elicitation/create"];

/** Queues a request for the client. The client receives it while it waits for the result of the related task. */
export async function askInTask(
  tasks: TaskSupport,
  { exchange, notify }: Recipient,
  { request, options }: { readonly request: OutgoingRequest; readonly options: AskOptions },
): Promise<unknown> {
  const { connection } = exchange;
  const { relatedTask } = options;
  const taskId = relatedTask?.taskId ?? "";
  if (connection.era === "modern") {
    throw new Error(
      `Task "${taskId}" cannot send requests: this protocol version does not have these tasks.`,
    );
  }
  const { method, params } = prepare(request, connection);
  const line: RequestLine = {
    connection,
    async send(queued, signal) {
      const { answer, message } = await tasks.ask({ taskId, exchange }, queued, signal);
      return { answer, cancel: cancellerOf(message.id, notify) };
    },
  };
  return sendRequest(line, { method, params: withRelatedTask(params, relatedTask) }, { options });
}
