/**
 * @fileoverview Answers the requests of a server, within limits: handlers that run, answers that are being sent, and
 * answers per second.
 * @module tenon/client/messages/answers
 */
import type { JsonObject } from "@tenon/internal/json";
import { memoryOf } from "@tenon/internal/json-memory";
import { kindOf } from "@tenon/internal/kind-of";
import { systemPorts } from "@tenon/internal/ports";
import { quoted } from "@tenon/internal/text";
import { ERRORS, type RequestId, type RpcError } from "../../protocol/index.js";
import { ClientError } from "../errors.js";
import { answerRequest, type RequestHandlers } from "../handlers.js";
import type { ConnectionMemory, MemoryShare } from "../limits.js";
import { delay } from "../transports/delay.js";

/** Settings for `Answers`. */
export interface AnswerSettings {
  readonly handlers: RequestHandlers;
  readonly memory: ConnectionMemory;
  readonly maxAnswers: number;
  /** Time limit for sending one answer, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** Sends an answer. Resolves when the server has taken it. */
  readonly send: (message: JsonObject, signal: AbortSignal) => Promise<void>;
  /** Runs a task that waits for the user, without counting its time against requests. */
  readonly untimed: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Request of a server. */
export interface ServerRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Maximum number of points in one second, and the points of an answer. Over HTTP, each answer is a request. A server that
 * needs the handlers may ask more often than one that only pings.
 */
const MAX_POINTS = 1_000;
const HANDLED_POINTS = 1;
const OTHER_POINTS = 10;
const SECOND_MS = 1_000;

/** Answers of one client. */
export class Answers {
  readonly #settings: AnswerSettings;
  /** Number of handlers that are running. */
  #running = 0;
  /** Answers that are being sent. */
  readonly #sending = new Set<AbortController>();
  /** Readers that wait until an answer has been sent. */
  readonly #waiting: (() => void)[] = [];
  /** Start of the current second, and the points of the answers in it. */
  #secondAt = 0;
  #points = 0;

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
  }

  /**
   * Answers a request. Returns a promise if nothing more may be read from the server for now: a server that sends
   * requests faster than it takes the answers would fill the memory.
   */
  take(request: ServerRequest): Promise<void> | undefined {
    if (request.method === "ping") void this.#send(request.id, { result: {} }, OTHER_POINTS);
    else void this.#run(request);
    return this.#isFull() ? this.#waitForRoom() : undefined;
  }

  /** Gives up the answers that are being sent. */
  close(): void {
    for (const stop of this.#sending) stop.abort();
  }

  /** Runs the handler. Reading continues meanwhile, because a handler may wait for a response of the server itself. */
  async #run({ id, method, params }: ServerRequest): Promise<void> {
    const { handlers, memory, maxAnswers, untimed } = this.#settings;
    const share = memory.open();
    this.#running++;
    try {
      const fits = this.#running <= maxAnswers && (maxAnswers === Infinity || hasRoom(share, params));
      if (!fits) throw tooMany(maxAnswers);
      const result = await untimed(() => answerRequest(handlers, method, params));
      void this.#send(id, { result }, HANDLED_POINTS);
    } catch (error) {
      void this.#send(id, { error: toRpcError(error, method) }, OTHER_POINTS);
    } finally {
      this.#running--;
      share.close();
    }
  }

  async #send(id: RequestId, reply: JsonObject, points: number): Promise<void> {
    const { send, timeoutMs } = this.#settings;
    const stop = new AbortController();
    const isTimed = timeoutMs !== undefined && timeoutMs !== Infinity;
    const stopTimer = isTimed ? systemPorts.startTimer(() => stop.abort(), timeoutMs, true) : undefined;
    this.#count(points);
    this.#sending.add(stop);
    try {
      await send({ jsonrpc: "2.0", id, ...reply }, stop.signal);
    } catch {
      // The end of the connection is reported elsewhere.
    } finally {
      stopTimer?.();
      this.#sending.delete(stop);
      for (const resume of this.#waiting.splice(0)) resume();
    }
  }

  #count(points: number): void {
    const now = systemPorts.now();
    if (now - this.#secondAt >= SECOND_MS) {
      this.#secondAt = now;
      this.#points = 0;
    }
    this.#points += points;
  }

  #isFull(): boolean {
    return this.#sending.size >= this.#settings.maxAnswers || this.#restMs() > 0;
  }

  /** Returns the time in milliseconds until the next answer may be sent. */
  #restMs(): number {
    if (this.#points < MAX_POINTS || this.#settings.maxAnswers === Infinity) return 0;
    return Math.min(SECOND_MS, this.#secondAt + SECOND_MS - systemPorts.now());
  }

  async #waitForRoom(): Promise<void> {
    while (this.#sending.size >= this.#settings.maxAnswers)
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    const ms = this.#restMs();
    if (ms > 0) await delay(ms);
  }
}

/** Reserves memory for the parameters of a request. Returns false if there is not enough. */
function hasRoom(share: MemoryShare, params: JsonObject): boolean {
  try {
    share.resize(memoryOf(params));
    return true;
  } catch {
    return false;
  }
}

function tooMany(limit: number): ClientError {
  return new ClientError({
    code: ERRORS.INTERNAL_ERROR.rpc,
    message: `The client is answering too many requests (limit: ${limit}). Send fewer requests at the same time.`,
  });
}

function toRpcError(error: unknown, method: string): RpcError {
  const message =
    error instanceof Error ? error.message : `The handler for "${quoted(method)}" threw ${kindOf(error)}.`;
  return { code: error instanceof ClientError ? error.code : ERRORS.INTERNAL_ERROR.rpc, message };
}
