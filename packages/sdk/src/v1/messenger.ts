/**
 * @fileoverview Sends a server's messages to the right client: the one whose request is being handled or, outside a
 * callback, the connected ones.
 * @module sdk/v1/messenger
 */
import type { Exchange } from "tenon";
import type { Caller } from "tenon/host";
import { type ClientCapabilities, TRAITS } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { isInstance } from "@tenon/internal/thrown";
import { withRelatedTask } from "../server/task-types.js";
import type { AskOptions, NotifyOptions, OutgoingNotification, OutgoingRequest } from "../types.js";
import type { ClientMessenger } from "../server/base-server.js";
import {
  describeUndeclaredByClient,
  describeUnsupported,
  NO_URL_ELICITATION,
} from "../server/capabilities.js";
import type { Attached, DropInServer } from "../server/drop-in-server.js";
import { RequestError } from "../server/requests/errors.js";
import type { DropInExchange, RequestScope } from "../server/requests/request-scope.js";
import type { TaskSupport } from "../server/tasks/task-support.js";
import {
  askCaller,
  askConnection,
  cancellerOf,
  notifyAll,
  notifyCaller,
  prepare,
  type RequestLine,
  sendRequest,
} from "../server/client/requests.js";

/** Parts of a server that a messenger uses. */
interface MessengerParts {
  readonly hosted: DropInServer;
  readonly tasks: TaskSupport;
  /** True if requests require that the client declares the matching capability. */
  readonly isStrict: boolean;
  /** Returns the session ID of the connected SDK transport. */
  sessionId(): string | undefined;
}

/** Sends messages to a server's clients. */
export class V1Messenger implements ClientMessenger {
  readonly #parts: MessengerParts;

  constructor(parts: MessengerParts) {
    this.#parts = parts;
  }

  /** The calling client or, outside a callback, the most recently connected client. */
  get client(): Caller | undefined {
    const { hosted } = this.#parts;
    const scope = hosted.requestScopes.current;
    if (scope !== undefined) return scope.caller;
    const [last] = [...hosted.attached].toReversed();
    return last?.connection.clientInfo === undefined ? undefined : last.connection;
  }

  /**
   * Asserts that the client supports the kind of input or sampling that a request uses. In the stateless revision, the
   * core checks this.
   */
  assertSupported(request: OutgoingRequest): void {
    const { client } = this;
    if (client !== undefined && TRAITS[client.revision].inputByRetry) return;
    const problem = describeUnsupported(request, client?.capabilities);
    if (problem !== undefined) throw new Error(problem);
  }

  /** Asserts that the client can open pages. @throws if it cannot */
  assertUrlClient(): void {
    if (this.client?.capabilities.elicitation?.url === undefined) throw new Error(NO_URL_ELICITATION);
  }

  createError(text: string): Error {
    return new Error(text);
  }

  /** Returns the official SDK's error, if it is installed. */
  convertError(error: unknown): Promise<unknown> {
    return toOfficialError(error);
  }

  /** Sends a request and resolves with the client's result. @throws the official SDK's errors, if it is installed */
  async ask(
    given: OutgoingRequest,
    options: AskOptions,
    scope = this.#parts.hosted.requestScopes.current,
  ): Promise<unknown> {
    try {
      return await this.#send(withTaskOptions(given, options), options, scope);
    } catch (error) {
      throw await toOfficialError(error);
    }
  }

  /** Sends a notification to the calling client or, outside a callback, to every connected client. */
  async notify(notification: OutgoingNotification, options: NotifyOptions = {}): Promise<void> {
    const { hosted, tasks } = this.#parts;
    const scope = hosted.requestScopes.current;
    const { relatedTask } = options;
    if (relatedTask !== undefined) {
      return tasks.notify(relatedTask.taskId, notification, this.#recipient(scope).exchange);
    }
    if (scope !== undefined) return this.notifyFrom(scope, notification);
    if (hosted.attached.size === 0) throw new Error("Not connected");
    return notifyAll(hosted.attached, notification);
  }

  /** Sends a notification related to a request. After the response, it goes over the connection. */
  async notifyFrom(scope: RequestScope, notification: OutgoingNotification): Promise<void> {
    return scope.isOver ? this.push(scope, notification) : notifyCaller(scope, notification);
  }

  /** Sends a notification over a request's connection. Does nothing if the connection has closed. */
  async push(scope: RequestScope, notification: OutgoingNotification): Promise<void> {
    return notifyAll(this.#attachedTo(scope), notification);
  }

  async #send(
    request: OutgoingRequest,
    options: AskOptions,
    scope: RequestScope | undefined,
  ): Promise<unknown> {
    const { isStrict, tasks } = this.#parts;
    const undeclared = describeUndeclaredByClient(request.method, this.client?.capabilities);
    if (isStrict && undeclared !== undefined) throw new Error(undeclared);
    if (isStrict && options.task !== undefined) assertTaskDeclared(request.method, this.client?.capabilities);
    if (options.relatedTask !== undefined) {
      return askInTask(tasks, this.#recipient(scope), { request, options });
    }
    if (scope === undefined) return askConnection(this.#onlyClient(), request, options);
    if (!scope.isOver) return askCaller(scope, request, options);
    const [attached] = this.#attachedTo(scope);
    if (attached === undefined) throw new Error("Not connected");
    return askConnection(attached, request, options);
  }

  /** Returns a request's attached connection, or an empty array if it has closed. */
  #attachedTo({ exchange }: RequestScope): readonly Attached[] {
    const { attached } = this.#parts.hosted;
    return [...attached].filter(({ connection }) => connection === exchange?.connection);
  }

  /** Returns the client for a task's messages. @throws if it has disconnected or is ambiguous */
  #recipient(scope: RequestScope | undefined): Recipient {
    if (scope?.exchange !== undefined) {
      const { exchange } = scope;
      const [attached] = this.#attachedTo(scope);
      if (attached === undefined && exchange.connection.pushes) throw new Error("Not connected");
      return { exchange, notify: attached?.notify };
    }
    const { connection, notify } = this.#onlyClient();
    const sessionId = this.#parts.sessionId();
    return { notify, exchange: { connection, ...(sessionId === undefined ? {} : { sdk: { sessionId } }) } };
  }

  /** Returns the only connected client. @throws if no client or more than one is connected */
  #onlyClient(): Attached {
    const [first, second] = this.#parts.hosted.attached;
    if (first === undefined) throw new Error("Not connected");
    if (second !== undefined) {
      throw new Error(
        "More than one client is connected, so the recipient is ambiguous. Send the request from a callback.",
      );
    }
    return first;
  }
}

/** Returns the official SDK's error for a failed request to the client. Other errors are returned unchanged. */
export async function toOfficialError(error: unknown): Promise<unknown> {
  if (!isInstance(error, RequestError)) return error;
  const { code, text, data } = error;
  return (await loadMcpError())?.fromError(code, text, data) ?? error;
}

/** Class in the module `types.js` of the official SDK. */
interface OfficialErrorClass {
  fromError(code: number, message: string, data?: unknown): Error;
}

let loading: Promise<OfficialErrorClass | undefined> | undefined;

/** Loads the class when the first request fails. An application without the official SDK keeps our own errors. */
function loadMcpError(): Promise<OfficialErrorClass | undefined> {
  loading ??= import("@modelcontextprotocol/sdk/types.js").then(
    ({ McpError }) => McpError,
    () => undefined,
  );
  return loading;
}

/** Client that a task's messages are for. */
export interface Recipient {
  readonly exchange: DropInExchange;
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
