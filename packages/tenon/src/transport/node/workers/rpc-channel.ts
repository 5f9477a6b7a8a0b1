/**
 * @fileoverview Calls between two processes over a channel that carries texts. Every call gets exactly one reply, or is
 * rejected when the channel closes. An invalid message from the other process never throws.
 * @module tenon/transport/node/workers/rpc-channel
 */
import { decodeError, encodeError } from "./wire-errors.js";

/** Connection to another process. Texts arrive complete and in order. */
export interface TextPort {
  /** Sends a text. Calls `onSent` when the text no longer uses memory of this process. */
  send(text: string, onSent: () => void): void;
  onText(listener: (text: string) => void): void;
  onClose(listener: () => void): void;
}

/** Handles a call or a notification. Its result, or its error, is the reply. */
export type RpcHandler = (args: readonly unknown[]) => unknown;

/** Limits of a channel. */
export interface RpcLimits {
  /**
   * Maximum number of calls without a reply, in each direction.
   * @default 10000
   */
  readonly maxInFlight?: number;
  /**
   * Maximum length of one message in UTF-16 code units.
   * @default 33554432
   */
  readonly maxLength?: number;
  /**
   * Total length of unsent messages beyond which `offer` drops notifications.
   * @default 16777216
   */
  readonly maxQueued?: number;
}

/** Kinds of messages: `[kind, id, …]`, or `[kind, method, args]` for a notification. */
const KIND = { call: 0, result: 1, error: 2, notification: 3 } as const;

/** Channel for calls in both directions. */
export class RpcChannel {
  readonly #port: TextPort;
  readonly #limits: Required<RpcLimits>;
  readonly #handlers = new Map<string, RpcHandler>();
  readonly #pending = new Map<number, Pending>();
  readonly #closeListeners = new Set<() => void>();
  readonly #drainListeners = new Set<() => void>();
  #lastId = 0;
  #running = 0;
  #queued = 0;
  #isClosed = false;

  constructor(port: TextPort, limits: RpcLimits = {}) {
    const { maxInFlight = 10_000, maxLength = 32 * 1_048_576, maxQueued = 16 * 1_048_576 } = limits;
    this.#port = port;
    this.#limits = { maxInFlight, maxLength, maxQueued };
    port.onText((text) => this.#take(text));
    port.onClose(() => this.#close());
  }

  /** True once the other process has gone. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sets the handlers for methods of this side. */
  handle(handlers: Readonly<Record<string, RpcHandler>>): void {
    for (const [method, handler] of Object.entries(handlers)) this.#handlers.set(method, handler);
  }

  /** Calls `listener` when the channel closes, or now if it has closed. */
  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#closeListeners.add(listener);
  }

  /** Calls `listener` whenever most of the unsent messages have been sent, so that `offer` works again. */
  onDrain(listener: () => void): void {
    this.#drainListeners.add(listener);
  }

  /**
   * Calls a method of the other process.
   *
   * @throws the error of the method, a `RangeError` if the message is too large, or an `Error` if too many calls wait
   * or the channel closes
   */
  async call(method: string, args: readonly unknown[] = []): Promise<unknown> {
    if (this.#isClosed) throw closedError();
    if (this.#pending.size >= this.#limits.maxInFlight) throw busyError(this.#limits.maxInFlight);
    const id = ++this.#lastId;
    const text = this.#encode([KIND.call, id, method, args]);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#send(text);
    });
  }

  /** Calls a method without waiting for it. Has no effect if the channel has closed. */
  notify(method: string, args: readonly unknown[] = []): void {
    if (!this.#isClosed) this.#send(this.#encode([KIND.notification, method, args]));
  }

  /** Notifies the other process, unless it reads too slowly. Returns false if the notification was dropped. */
  offer(method: string, args: readonly unknown[]): boolean {
    if (this.#queued > this.#limits.maxQueued) return false;
    this.notify(method, args);
    return true;
  }

  #encode(message: readonly unknown[]): string {
    const text = JSON.stringify(message);
    const { maxLength } = this.#limits;
    if (text.length <= maxLength) return text;
    throw new RangeError(`The message (${text.length} characters) is too large (limit: ${maxLength}).`);
  }

  #send(text: string): void {
    this.#queued += text.length;
    this.#port.send(text, () => {
      const before = this.#queued;
      this.#queued -= text.length;
      // Not only at zero, which a channel in constant use may never reach.
      const half = this.#limits.maxQueued / 2;
      const isDrained = (before > half && this.#queued <= half) || this.#queued === 0;
      if (isDrained) for (const listener of this.#drainListeners) listener();
    });
  }

  #take(text: string): void {
    const message = parseMessage(text, this.#limits.maxLength);
    const [kind, second, third, fourth] = message;
    if (kind === KIND.call && typeof second === "number" && typeof third === "string")
      void this.#answer(second, third, fourth);
    else if (kind === KIND.notification && typeof second === "string")
      void this.#run(second, third).catch(ignore);
    else if (typeof second === "number") this.#settle(kind, second, third);
  }

  async #answer(id: number, method: string, args: unknown): Promise<void> {
    let reply: string;
    this.#running++;
    try {
      if (this.#running > this.#limits.maxInFlight) throw busyError(this.#limits.maxInFlight);
      reply = this.#encode([KIND.result, id, (await this.#run(method, args)) ?? null]);
    } catch (error) {
      reply = JSON.stringify([KIND.error, id, encodeError(error)]);
    } finally {
      this.#running--;
    }
    if (!this.#isClosed) this.#send(reply);
  }

  async #run(method: string, args: unknown): Promise<unknown> {
    const handler = this.#handlers.get(method);
    if (handler === undefined || !Array.isArray(args))
      throw new RangeError("Unknown method or invalid arguments.");
    return handler(args);
  }

  #settle(kind: unknown, id: number, value: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (kind === KIND.result) pending.resolve(value);
    else pending.reject(decodeError(value));
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(closedError());
    for (const listener of this.#closeListeners) listener();
  }
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Parses a message. Returns an empty one if it is invalid. */
function parseMessage(text: string, maxLength: number): readonly unknown[] {
  if (text.length > maxLength) return [];
  try {
    const message: unknown = JSON.parse(text);
    return Array.isArray(message) ? message : [];
  } catch {
    return [];
  }
}

function closedError(): Error {
  return new Error("The connection to the other process was closed.");
}

function busyError(limit: number): Error {
  return new Error(`Too many store operations are in progress (limit: ${limit}). Try again later.`);
}

function ignore(): void {
  // The sender of a notification does not expect a reply.
}
