/**
 * @fileoverview Connects a client, and connects it again if the connection is lost.
 * @module tenon/client/connector
 */
import type { JsonObject } from "@tenon/internal/json";
import { systemPorts } from "@tenon/internal/ports";
import type { RequestOptions } from "./client-options.js";
import { ConnectionError } from "./errors.js";
import { type HandshakeOptions, shakeHands } from "./messages/handshake.js";
import type { RequestChannel } from "./messages/request-channel.js";
import { delay } from "./transports/delay.js";
import type { OpenTransport } from "./transports/transport.js";

/** Options of a connector. */
export interface ConnectorOptions extends HandshakeOptions {
  readonly open: OpenTransport;
  /** Connects again if the connection is lost. */
  readonly reconnect: boolean;
}

/** Maximum number of attempts to connect again, and the delay before each attempt in milliseconds. */
const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 10_000;

/** Opens the connection of a channel. */
export class Connector {
  /** Result of the last handshake. */
  server: JsonObject = {};
  readonly #channel: RequestChannel;
  readonly #options: ConnectorOptions;
  /** Attempt to connect again, shared by all requests that wait for it. */
  #attempt: Promise<void> | undefined;
  /** Number of connections that were lost before a request succeeded. */
  #losses = 0;

  constructor(channel: RequestChannel, options: ConnectorOptions) {
    this.#channel = channel;
    this.#options = options;
  }

  /** True if the connection cannot be lost, so that requests need no further care. */
  get isReliable(): boolean {
    return !this.#options.reconnect;
  }

  /** Opens the connection and runs the handshake. Closes the connection if the handshake fails. */
  async connect(): Promise<void> {
    this.#channel.connect(await this.#options.open(this.#channel));
    try {
      this.server = await shakeHands(this.#channel, this.#options);
    } catch (error) {
      await this.#channel.close();
      throw error;
    }
  }

  /** Sends a request. Connects first if the connection was lost, and starts a new session if the old one has expired. */
  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    if (this.#channel.end !== undefined && !this.#channel.isClosed) await this.#reconnect();
    try {
      const result = await this.#channel.request(method, params, options);
      this.#losses = 0;
      return result;
    } catch (error) {
      if (!(error instanceof ConnectionError) || error.code !== "session-expired") throw error;
      // The server has not processed the request, so it can be repeated.
      await this.#renewSession();
      return this.#channel.request(method, params, options);
    }
  }

  /** Runs a request that never ends by itself, and repeats it while the connection is lost. */
  async keepOpen<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const startedAt = systemPorts.now();
      try {
        return await task();
      } catch (error) {
        const isLost = error instanceof ConnectionError && LOST.has(error.code) && !this.#channel.isClosed;
        if (!isLost || this.isReliable) throw error;
        // A stream that was open for a while starts again with the shortest delay.
        if (systemPorts.now() - startedAt > MAX_DELAY_MS) attempt = 0;
        if (attempt >= MAX_ATTEMPTS) throw error;
        await delay(Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS), signal);
      }
    }
  }

  /** Opens a lost connection again: starts the program again. */
  #reconnect(): Promise<void> {
    return this.#once(async () => {
      const { end } = this.#channel;
      if (end === undefined) return;
      if (this.#losses >= MAX_ATTEMPTS) throw end;
      await delay(this.#losses === 0 ? 0 : FIRST_DELAY_MS * 2 ** this.#losses);
      this.#losses++;
      this.#channel.connect(await this.#options.open(this.#channel));
      this.server = await shakeHands(this.#channel, this.#options);
    });
  }

  #renewSession(): Promise<void> {
    return this.#once(async () => {
      this.#channel.resetSession();
      this.server = await shakeHands(this.#channel, this.#options);
    });
  }

  /** Runs a task, unless one is running already. */
  #once(task: () => Promise<void>): Promise<void> {
    this.#attempt ??= task().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }
}

const LOST: ReadonlySet<string> = new Set(["unreachable", "closed", "session-expired"]);
