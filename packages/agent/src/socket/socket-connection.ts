/**
 * @fileoverview Client connection: send and receive limits, and heartbeats.
 * @module agent/socket/socket-connection
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { safeReport } from "@tenon/internal/security/safe-text";
import { type Frame, type FrameCheck, toFrame } from "../messages/frames.js";
import { Inbox, type InboxLoad } from "./inbox.js";
import { Outbox } from "./outbox.js";
import type { QueuedBytes } from "./queued-bytes.js";
import type { AgentUser } from "../users/user.js";
import type { ListenSettings } from "./options.js";

/** Checks and handles a connection's frames. */
export interface FrameHandler {
  /** Parses and validates the text of a frame. Returns `undefined` if the frame needs no further handling. */
  readonly check: (text: string) => Promise<FrameCheck | undefined>;
  /** Handles a validated message. */
  readonly receive: (frame: Frame, connection: SocketConnection) => Promise<void>;
}

/** Limits and logger for a connection. */
export interface ConnectionSettings extends Pick<
  ListenSettings,
  "maxQueuedBytes" | "maxInFlight" | "identify" | "logger"
> {
  /** Send queues of all connections. */
  readonly queued: QueuedBytes;
  /** Messages in flight of all connections. */
  readonly load: InboxLoad;
}

/** A connected client. */
export class SocketConnection {
  /** Random ID for log lines. Clients do not see it. */
  readonly id = randomUUID();
  /** User that the client's token identifies. `undefined` if the server has no users. Set before any message is handled. */
  user: AgentUser | undefined;
  readonly #socket: WebSocket;
  readonly #settings: ConnectionSettings;
  readonly #inbox: Inbox<FrameCheck | undefined>;
  readonly #outbox: Outbox;
  #isAlive = true;
  #takesFrames = true;

  constructor(socket: WebSocket, handler: FrameHandler, settings: ConnectionSettings) {
    this.#socket = socket;
    this.#settings = settings;
    this.#inbox = new Inbox({
      maxInFlight: settings.maxInFlight,
      load: settings.load,
      onRefused: () => this.#complain(OVERLOADED),
      check: handler.check,
      answer: (checked) => this.#answer(checked, handler),
      onFailure: (error) => this.#fail(error),
      pause: () => socket.pause(),
      resume: () => {
        // Pongs that arrived during the pause have not been read yet.
        this.#noteLife();
        socket.resume();
      },
    });
    this.#outbox = new Outbox({
      socket,
      maxBytes: settings.maxQueuedBytes,
      total: settings.queued,
      onOverflow: () => this.#endSlow(),
    });
    socket.on("close", () => this.#outbox.close());
    socket.on("message", (data, isBinary) => this.#take(data, isBinary));
    socket.on("ping", (data) => this.#pong(data));
    socket.on("pong", () => this.#noteLife());
    // ws closes the connection itself after malformed frames and oversized messages.
    socket.on("error", (error) => this.#log(`was closed after an error: ${safeReport(error).slice(0, 200)}`));
  }

  /** True while the connection is open and messages can be sent. */
  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /**
   * Sends a message. Returns false if the connection is closed, or if the send queue is full, which closes it.
   *
   * @throws if the data cannot be serialized as JSON
   */
  send(message: Frame): boolean {
    return this.sendBytes(encodeUtf8(toFrame(message)));
  }

  /** Sends an encoded frame. The bytes are not modified, so multiple connections can share them. */
  sendBytes(bytes: Uint8Array): boolean {
    return this.isOpen && this.#outbox.send(bytes);
  }

  /** Sends a ping. Disconnects the client if it has not responded since the last ping. */
  beat(): void {
    // No pong can arrive while reading is paused.
    if (!this.#isAlive && !this.#inbox.isPaused)
      return this.disconnect("the client did not respond to a ping");
    this.#isAlive = false;
    this.#outbox.sendControl("ping", EMPTY);
  }

  /** Stops accepting messages. Resolves when all messages in flight have been handled. */
  drain(): Promise<void> {
    this.#takesFrames = false;
    return this.#inbox.idle();
  }

  /** Closes the connection with a close frame. */
  close(code: number, reason: string): void {
    // The client's close frame arrives only if the socket is being read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  /** Tells the client why the connection is closed, and closes it. Messages that still arrive are ignored. */
  reject(code: number, reason: string): void {
    this.#takesFrames = false;
    this.#complain(reason);
    this.close(code, reason);
  }

  /** Stops reading. A few messages that have been read already may still arrive. */
  pause(): void {
    this.#socket.pause();
  }

  /** Reads again, unless too many messages are in flight. */
  resume(): void {
    if (!this.#inbox.isPaused) this.#socket.resume();
  }

  /** Closes the connection immediately, without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Closes the connection immediately, and logs the reason. */
  disconnect(reason: string): void {
    this.#log(`was closed: ${reason}.`);
    this.#socket.terminate();
  }

  #take(data: unknown, isBinary: boolean): void {
    this.#noteLife();
    if (!this.#takesFrames) return this.#complain("The server is stopping.");
    if (isBinary) return this.#complain("Frames must be text; got a binary frame.");
    this.#inbox.take(String(data)); // a buffer whose UTF-8 was validated by ws
  }

  async #answer(checked: FrameCheck | undefined, handler: FrameHandler): Promise<void> {
    if (checked === undefined) return;
    if (!checked.ok) return this.#complain(checked.reason);
    if (checked.frame.type === "authenticate") {
      return this.#complain(this.#settings.identify === undefined ? NO_TOKENS : AUTHENTICATED);
    }
    await handler.receive(checked.frame, this);
  }

  #pong(data: Uint8Array): void {
    this.#noteLife();
    // A copy, because the data may be a view of everything that was read together with the ping.
    this.#outbox.sendControl("pong", new Uint8Array(data));
  }

  #noteLife(): void {
    this.#isAlive = true;
  }

  #fail(error: unknown): void {
    this.#settings.logger?.error(
      `agent: connection ${this.id}: a message handler failed: ${safeReport(error)}`,
    );
    this.#complain("Could not handle the message because of an internal error.");
  }

  #complain(message: string): void {
    this.send({ type: "error", data: { message, updateTime: Date.now() } });
  }

  /** Closes the connection of a client that reads too slowly. Its queue was dropped, to limit memory use. */
  #endSlow(): void {
    if (!this.isOpen) return;
    this.#log("was closed: the client stopped reading.");
    this.#takesFrames = false;
    this.close(TRY_AGAIN_LATER, TOO_SLOW);
  }

  #log(text: string): void {
    this.#settings.logger?.warn(`agent: connection ${this.id} ${text}`);
  }
}

const NO_TOKENS = "This server does not use tokens, so `authenticate` is not needed.";
const AUTHENTICATED = "The connection is already authenticated. To use a different token, connect again.";

const OVERLOADED = "The server is handling too many large messages. Send the message again later.";

const TOO_SLOW = "The client reads too slowly. Connect again.";

/** Close code for a client that can connect again later. */
export const TRY_AGAIN_LATER = 1013;

const EMPTY = /* @__PURE__ */ new Uint8Array();
