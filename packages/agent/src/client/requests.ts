/**
 * @fileoverview Requests that wait for the server's response. They are sent when the connection is open.
 * @module agent/client/requests
 */
import { systemPorts } from "@tenon/internal/ports";
import type { ServerMessage, UserMessage } from "../messages/built-in-messages.js";
import { isObject } from "./state/check-frame.js";
import { AgentClientError } from "./errors.js";

/** Message that the client sends and the server responds to. */
export type RequestMessage = Exclude<UserMessage, { readonly type: "authenticate" }>;

/** Options for `Requests.add`. */
export interface RequestOptions {
  /** True if the message can be sent again after the connection was lost. Otherwise, the request fails then. */
  readonly canRepeat: boolean;
  /** True if the request waits for a connection without a timeout. */
  readonly isPatient?: boolean;
  /** True for a request of the client itself. The application does not see the response. */
  readonly isInternal?: boolean;
  /** Maximum time to wait for the response, in milliseconds, if it is shorter than for other requests. */
  readonly timeout?: number;
}

/**
 * Use of a received message: it changes the state and is passed to handlers, or only the latter because it is the reason
 * for a rejected request, or neither.
 */
export type MessageUse = "state" | "handlers" | "none";

/** Dependencies for `Requests`. */
export interface RequestsParts {
  /** Sends a frame. Returns false if the connection is not open. */
  readonly send: (frame: string) => boolean;
  /** Called if the server has not sent anything since a request that timed out. */
  readonly onSilence: () => void;
  readonly timeout: number;
}

interface Request extends RequestOptions {
  readonly message: RequestMessage;
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (error: AgentClientError) => void;
  isSent: boolean;
  /** Number of frames that had been received when the request was sent. */
  framesBefore: number;
  cancelTimer: () => void;
}

/** Pending requests, oldest first. */
export class Requests {
  readonly #parts: RequestsParts;
  readonly #pending = new Set<Request>();
  #frames = 0;
  /** Request that the server has rejected, until the `error` with the reason arrives, which is the next message. */
  #rejected: { readonly request: Request | undefined; readonly taskId: string } | undefined;

  constructor(parts: RequestsParts) {
    this.#parts = parts;
  }

  /** Sends a message, or keeps it until `flush`. Resolves to the server's response. */
  add(message: RequestMessage, options: RequestOptions): Promise<ServerMessage> {
    return new Promise((resolve, reject) => {
      const state = { isSent: false, framesBefore: 0, cancelTimer: () => undefined };
      const request: Request = { ...options, message, resolve, reject, ...state };
      this.#pending.add(request);
      if (!this.#send(request) && request.isPatient !== true) this.#startTimer(request);
    });
  }

  /** True while the server owes a response. If it does not come, the connection is dropped. */
  get isWaiting(): boolean {
    return [...this.#pending].some(({ isSent }) => isSent);
  }

  /** Returns true if a request of this type for a task is pending. */
  has(type: RequestMessage["type"], taskId: string): boolean {
    return [...this.#pending].some(({ message }) => message.type === type && taskOf(message) === taskId);
  }

  /** Sends all messages that have not been sent on this connection. */
  flush(): void {
    for (const request of this.#pending) if (!request.isSent) this.#send(request);
  }

  /** Settles the request that a message responds to. Returns the use of the message. */
  receive(message: ServerMessage): MessageUse {
    this.#frames++;
    const rejected = this.#rejected;
    this.#rejected = undefined;
    if (rejected !== undefined) {
      const isReason = message.type === "error" && message.data.taskId === rejected.taskId;
      this.#reject(rejected.request, isReason ? message.data.message : REJECTED);
      if (isReason) return "handlers";
    }
    if (message.type === "error")
      return message.data.taskId === undefined ? this.#rejectInvalid(message.data) : "state";
    const request = [...this.#pending].find((one) => one.isSent && isResponse(one.message, message));
    if (message.type === "ack" && message.data.status === "failed")
      this.#rejected = { request, taskId: message.data.taskId };
    else if (request !== undefined) this.#settle(request)?.resolve(message);
    return request?.isInternal === true ? "none" : "state";
  }

  /** Notes that the connection was lost. Messages that can be repeated are sent again on the next one. */
  lose(isTooLarge: boolean): void {
    this.#reject(this.#rejected?.request, REJECTED);
    this.#rejected = undefined;
    const sent = [...this.#pending].filter(({ isSent }) => isSent);
    if (isTooLarge) {
      // Sending the largest message again would close the next connection too.
      const [largest] = sent.toSorted((one, other) => sizeOf(other) - sizeOf(one));
      this.#reject(largest, "The message is larger than the server allows.");
    }
    for (const request of sent) {
      if (!this.#pending.has(request)) continue;
      request.isSent = false;
      if (!request.canRepeat) {
        const text =
          "The connection was lost before the server responded. The request may have taken effect.";
        this.#settle(request)?.reject(new AgentClientError("disconnected", text));
      } else if (request.isPatient === true) request.cancelTimer();
    }
  }

  /** Rejects all requests. */
  rejectAll(error: AgentClientError): void {
    this.#rejected = undefined;
    for (const request of this.#pending) this.#settle(request)?.reject(error);
  }

  #send(request: Request): boolean {
    // Histories can be large, and the server limits the size of all that have not been delivered.
    if (isLoad(request) && [...this.#pending].some((one) => one.isSent && isLoad(one))) return false;
    if (!this.#parts.send(JSON.stringify(request.message))) return false;
    request.isSent = true;
    request.framesBefore = this.#frames;
    this.#startTimer(request);
    return true;
  }

  #startTimer(request: Request): void {
    request.cancelTimer();
    const ms = Math.min(this.#parts.timeout, request.timeout ?? Infinity);
    request.cancelTimer = systemPorts.startTimer(() => this.#expire(request), ms, true);
  }

  #expire(request: Request): void {
    const isSilent = request.isSent && request.framesBefore === this.#frames;
    if (!(isSilent && request.isPatient === true)) {
      const text = `The server did not respond in time (limit: ${this.#parts.timeout} ms).`;
      this.#settle(request)?.reject(new AgentClientError("timeout", text));
    }
    if (isSilent) this.#parts.onSilence();
  }

  /**
   * Rejects the request that an `error` without a task responds to: invalid data of a message, or a list that failed.
   * Returns the use of the error.
   */
  #rejectInvalid({ message }: { readonly message: string }): MessageUse {
    // A token that the server does not need is not a failed request.
    if (message.includes("authenticat")) return "state";
    const [, type = "listTasks"] = /^Message '([^']{1,64})'/.exec(message) ?? [];
    const sent = [...this.#pending].filter((one) => one.isSent && one.message.type === type);
    const request = sent.find(({ isInternal }) => isInternal !== true) ?? sent[0];
    this.#reject(request, message);
    if (request === undefined) return "state";
    return request.isInternal === true ? "none" : "handlers";
  }

  #reject(request: Request | undefined, message: string): void {
    if (request !== undefined) this.#settle(request)?.reject(new AgentClientError("rejected", message));
  }

  /** Removes a request. Returns `undefined` if it is already settled. */
  #settle(request: Request): Request | undefined {
    request.cancelTimer();
    if (!this.#pending.delete(request)) return undefined;
    if (isLoad(request)) this.#sendNextLoad();
    return request;
  }

  #sendNextLoad(): void {
    const next = [...this.#pending].find((one) => !one.isSent && isLoad(one));
    if (next !== undefined) this.#send(next);
  }
}

const REJECTED = "The server rejected the request.";

/** Returns true if a message responds to a request. */
function isResponse(request: RequestMessage, message: ServerMessage): boolean {
  if (message.type === "taskList" && request.type === "listTasks")
    return message.data.cursor === request.data.cursor && message.data.search === request.data.search;
  if (message.type === "taskHistory" && request.type === "loadTask")
    return message.data.taskId === request.data.taskId;
  if (message.type !== "ack" || request.type === "listTasks") return false;
  // A task is loaded when its history arrives.
  if (request.type === "loadTask" && message.data.status !== "failed") return false;
  const target = message.data.targetMessage;
  if (!isObject(target) || target["type"] !== request.type || !isObject(target["data"])) return false;
  const data: Readonly<Record<string, unknown>> = request.data;
  const repeated = target["data"];
  return IDENTIFYING.every((name) => data[name] === repeated[name]);
}

/** Fields that tell two requests of the same type apart. */
const IDENTIFYING = ["taskId", "messageId", "approvalId"];

function taskOf({ data }: RequestMessage): string | undefined {
  return "taskId" in data ? data.taskId : undefined;
}

function isLoad({ message }: Request): boolean {
  return message.type === "loadTask";
}

function sizeOf({ message }: Request): number {
  return JSON.stringify(message).length;
}
