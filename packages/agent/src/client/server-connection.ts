/**
 * @fileoverview Connection to the server that authenticates itself and reconnects when it is lost.
 * @module agent/client/server-connection
 */
import { systemPorts } from "@tenon/internal/ports";
import { AgentClientError } from "./errors.js";
import { onPageReturn } from "./page-events.js";
import type { ClientSocket, ClientSocketClass } from "./socket-types.js";
import type { AgentConnection } from "./types.js";

/** Settings of a connection, with all defaults applied. */
export interface ConnectionSettings {
  readonly url: string;
  readonly token: string | (() => string | Promise<string>) | undefined;
  readonly WebSocket: ClientSocketClass;
  readonly minDelay: number;
  readonly maxDelay: number;
  readonly maxAttempts: number;
}

/** Callbacks of a connection. */
export interface ConnectionEvents {
  /** Called with the content of each WebSocket message. */
  readonly onContent: (content: unknown) => void;
  /** Called when the connection is lost. `isTooLarge` is true if a message exceeded the server's limit. */
  readonly onLost: (isTooLarge: boolean) => void;
  /** Called when the state changes. `error` is the reason for the end of the connection. */
  readonly onState: (state: Exclude<AgentConnection, "open">, error?: AgentClientError) => void;
  /** Called when the connection may be dead: nothing has arrived for a while, or the page was inactive. */
  readonly onDoubt: () => void;
  readonly onError: (error: unknown) => void;
}

/** Connection to the server. */
export class ServerConnection {
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionEvents;
  #socket: ClientSocket | undefined;
  /** Time since which the connection is open, or `undefined` until the server has accepted the client. */
  #openSince: number | undefined;
  #attempts = 0;
  #lastToken: string | undefined;
  #hasNewToken = false;
  #cancelTimer: () => void = nothing;
  /** Time at which the last frame arrived. */
  #lastFrame = 0;
  #cancelIdleTimer: () => void = nothing;
  #stopListening: () => void = nothing;
  #retry: (() => void) | undefined;
  #isStopped = false;

  constructor(settings: ConnectionSettings, events: ConnectionEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Starts the first attempt. */
  start(): void {
    this.#stopListening = onPageReturn(() => {
      if (this.#retry !== undefined) this.#retry();
      else if (this.isOpen) this.#events.onDoubt();
    });
    this.#events.onState("connecting");
    void this.#attempt();
  }

  /** Closes the connection without reconnecting. */
  stop(): void {
    this.#release();
    this.#detach()?.close(1000);
  }

  /** Marks the connection as accepted by the server. */
  accept(): void {
    this.#cancelTimer();
    this.#openSince ??= systemPorts.now();
    this.#hasNewToken = false;
    this.#startIdleTimer(IDLE_MS);
  }

  /** True while messages can be sent. */
  get isOpen(): boolean {
    return this.#openSince !== undefined;
  }

  /** Sends a frame. Returns false if the connection is not open. */
  send(frame: string): boolean {
    if (!this.isOpen || this.#socket?.readyState !== OPEN) return false;
    this.#socket.send(frame);
    return true;
  }

  /** Closes a connection that no longer responds, and reconnects. */
  drop(): void {
    if (this.#socket !== undefined) this.#lose(ABNORMAL);
  }

  async #attempt(token?: string): Promise<void> {
    try {
      const sent = token ?? (await this.#readToken());
      if (this.#isStopped) return;
      this.#lastToken = sent;
      this.#listen(new this.#settings.WebSocket(this.#settings.url), sent);
    } catch (error) {
      this.#events.onError(error);
      if (!this.#isStopped) this.#scheduleRetry();
    }
  }

  async #readToken(): Promise<string | undefined> {
    const { token } = this.#settings;
    return typeof token === "function" ? token() : token;
  }

  #listen(socket: ClientSocket, token: string | undefined): void {
    this.#socket = socket;
    let isRejected = false;
    const whileCurrent =
      <Event>(handle: (event: Event) => void) =>
      (event: Event) => {
        if (this.#socket === socket) handle(event);
      };
    this.#startTimer(() => this.drop(), CONNECT_TIMEOUT_MS);
    socket.addEventListener(
      "open",
      whileCurrent<void>(() => {
        if (token !== undefined) socket.send(JSON.stringify({ type: "authenticate", data: { token } }));
      }),
    );
    socket.addEventListener(
      "message",
      whileCurrent((event: { readonly data: unknown }) => {
        this.#lastFrame = systemPorts.now();
        this.#events.onContent(event.data);
      }),
    );
    socket.addEventListener(
      "error",
      whileCurrent((event: object) => {
        // Only the package `ws` tells the HTTP status of a rejected connection.
        if ("message" in event && /\b401$/.test(String(event.message))) isRejected = true;
      }),
    );
    socket.addEventListener(
      "close",
      whileCurrent((event: { readonly code: number }) => this.#lose(isRejected ? UNAUTHORIZED : event.code)),
    );
  }

  #lose(code: number): void {
    const wasOpenFor = this.#openSince === undefined ? 0 : systemPorts.now() - this.#openSince;
    if (wasOpenFor >= STABLE_MS) this.#attempts = 0;
    this.#detach()?.close();
    this.#events.onLost(code === TOO_LARGE);
    if (this.#isStopped) return;
    if (code === UNAUTHORIZED) void this.#renewToken();
    else this.#scheduleRetry();
  }

  /** Tries a new token once. */
  async #renewToken(): Promise<void> {
    const { token } = this.#settings;
    if (typeof token === "function" && !this.#hasNewToken) {
      this.#hasNewToken = true;
      this.#events.onState("reconnecting");
      try {
        const next = await token();
        if (this.#isStopped) return;
        if (next !== this.#lastToken) return void this.#attempt(next);
      } catch (error) {
        this.#events.onError(error);
        if (this.#isStopped) return;
      }
    }
    this.#end("unauthorized", new AgentClientError("unauthorized", "The server rejected the token."));
  }

  #scheduleRetry(): void {
    const { minDelay, maxDelay, maxAttempts } = this.#settings;
    if (this.#attempts >= maxAttempts) {
      const message = "The connection to the server was lost.";
      return this.#end("closed", new AgentClientError("disconnected", message));
    }
    const longest = Math.min(maxDelay, minDelay * 2 ** this.#attempts);
    // Clients that lost their connections at the same time reconnect at different times.
    const [random = 0] = systemPorts.randomBytes(1);
    const delay = longest / 2 + (longest / 2) * (random / 255);
    this.#attempts++;
    this.#retry = () => {
      this.#cancelTimer();
      this.#retry = undefined;
      void this.#attempt();
    };
    this.#startTimer(this.#retry, delay);
    this.#events.onState("reconnecting");
  }

  #end(state: "closed" | "unauthorized", error: AgentClientError): void {
    this.#release();
    this.#events.onState(state, error);
  }

  #release(): void {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#retry = undefined;
    this.#stopListening();
  }

  /** Forgets the socket, so that its later events are ignored. */
  #detach(): ClientSocket | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#openSince = undefined;
    this.#cancelTimer();
    this.#cancelIdleTimer();
    return socket;
  }

  /** Notices that nothing arrives. A client that only watches would otherwise not notice a dead connection. */
  #startIdleTimer(ms: number): void {
    this.#cancelIdleTimer();
    const check = () => {
      // Frames do not restart the timer, because streams consist of many.
      const rest = this.#lastFrame + IDLE_MS - systemPorts.now();
      this.#startIdleTimer(rest > 0 ? Math.min(rest, IDLE_MS) : IDLE_MS);
      if (rest <= 0) this.#events.onDoubt();
    };
    this.#cancelIdleTimer = systemPorts.startTimer(check, ms, true);
  }

  #startTimer(task: () => void, ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = systemPorts.startTimer(task, ms);
  }
}

/** `readyState` of an open WebSocket. */
const OPEN = 1;

/** Close code of a connection that ended without a close frame. */
const ABNORMAL = 1006;

/** Close code for a message that exceeds the server's limit. */
const TOO_LARGE = 1009;

/** Close code with which the server rejects a token. */
const UNAUTHORIZED = 4401;

/** Maximum time until the server must have accepted the client. */
const CONNECT_TIMEOUT_MS = 15_000;

/** Time after which a connection counts as stable, so that the next reconnect starts with the shortest delay. */
const STABLE_MS = 5_000;

/** Time without a frame after which the connection is checked. */
const IDLE_MS = 45_000;

function nothing(): void {}
