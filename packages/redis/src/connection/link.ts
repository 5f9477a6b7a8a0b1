/**
 * @fileoverview Sends commands over a client that may lose its connection: waits for the connection, repeats commands
 * that are safe to repeat, and limits the time and the number of waiting commands.
 * @module redis/connection/link
 */
import { systemPorts } from "@tenon/internal/ports";
import { setTimeout as sleep } from "node:timers/promises";
import type { RedisClient } from "./clients.js";
import { isNotExecuted, isPermanent, isReply, toProblem, toStoreError, UnavailableError } from "./errors.js";

/** Limits of a link. */
export interface LinkOptions {
  /** Backend and address for messages, without credentials. */
  readonly name: string;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly maxPendingCommands: number;
}

/** Options for `run`. */
export interface SendOptions {
  /**
   * Sends the command again if the connection was lost before the reply arrived. The command must have the same effect
   * and reply if it runs twice.
   * @default false
   */
  readonly repeatable?: boolean;
}

/** Time in milliseconds before a command is repeated. */
const REPEAT_DELAY_MS = 50;

/** Connection that can be opened and closed repeatedly. Each time, it has a new client. */
export class Link<Client extends RedisClient = RedisClient> {
  readonly #createClient: () => Client;
  readonly #options: LinkOptions;
  readonly #waiting = new Set<() => void>();
  #client: Client | undefined;
  #pending = 0;
  /** Reason why the connection failed last, for messages. */
  #problem: string | undefined;

  constructor(createClient: () => Client, options: LinkOptions) {
    this.#createClient = createClient;
    this.#options = options;
  }

  /** Client for commands that need no protection. @throws if the link is not open */
  get client(): Client {
    if (this.#client === undefined) throw this.#notOpen();
    return this.#client;
  }

  /** True while commands can be sent immediately. */
  get isReady(): boolean {
    return this.#client?.status === "ready";
  }

  /** Connects. @throws if Redis does not respond in time, or rejects the credentials */
  async open(): Promise<void> {
    if (this.#client !== undefined) return;
    const client = (this.#client = this.#createClient());
    client.on("ready", () => {
      this.#problem = undefined;
      this.#resume();
    });
    // A listener is required: without one, ioredis writes errors to the console.
    const onError = (error: unknown) => {
      this.#problem = toProblem(error) ?? this.#problem;
      if (isPermanent(error)) this.#resume();
    };
    client.on("error", onError).on("node error", onError);
    client.connect().catch(() => undefined);
    try {
      await this.#untilReady(this.#options.connectTimeoutMs);
      await this.run((one) => one.ping(), { repeatable: true });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Disconnects. Commands fail until the link is opened again. */
  close(): void {
    this.#client?.disconnect();
    this.#client = undefined;
    this.#resume();
  }

  /** Sends a command and returns its reply. @throws if Redis does not respond in time */
  async run<T>(send: (client: Client) => Promise<T>, { repeatable = false }: SendOptions = {}): Promise<T> {
    const { name, commandTimeoutMs, maxPendingCommands } = this.#options;
    if (this.#pending >= maxPendingCommands) {
      throw new UnavailableError(name, `too many commands are waiting (limit: ${maxPendingCommands})`);
    }
    this.#pending += 1;
    const deadline = systemPorts.now() + commandTimeoutMs;
    try {
      for (;;) {
        if (this.#client === undefined) throw this.#notOpen();
        if (!this.isReady) await this.#untilReady(deadline - systemPorts.now());
        try {
          return await send(this.client);
        } catch (error) {
          const canRepeat = isNotExecuted(error) || (repeatable && !isReply(error));
          if (!canRepeat || systemPorts.now() + REPEAT_DELAY_MS > deadline) throw error;
        }
        await sleep(REPEAT_DELAY_MS);
      }
    } catch (error) {
      throw toStoreError(error, name);
    } finally {
      this.#pending -= 1;
    }
  }

  /** Waits for the connection. Commands that wait here have not been sent. */
  async #untilReady(timeoutMs: number): Promise<void> {
    let resume = (): void => undefined;
    const changed = new Promise<void>((resolve) => (resume = resolve));
    const timer = setTimeout(resume, Math.max(timeoutMs, 0));
    this.#waiting.add(resume);
    await changed;
    clearTimeout(timer);
    this.#waiting.delete(resume);
    if (this.isReady) return;
    if (this.#client === undefined) throw this.#notOpen();
    throw new UnavailableError(this.#options.name, this.#problem ?? "no connection");
  }

  #notOpen(): Error {
    return new UnavailableError(this.#options.name, "the store is not open");
  }

  #resume(): void {
    for (const resume of this.#waiting) resume();
  }
}
