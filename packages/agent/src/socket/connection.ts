/**
 * @fileoverview Connection of one client: limits on what it sends and receives, and heartbeats.
 * @module agent/connection
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { safeReport } from "@tenon/internal/security/safe-text";
import { type Frame, type FrameCheck, toFrame } from "../messages/frames.js";
import { Inbox } from "./inbox.js";
import type { ListenSettings } from "./options.js";

/** Handles the frames of a connection. */
export interface FrameHandler {
  readonly check: (text: string) => Promise<FrameCheck>;
  /** Handles a validated message. */
  readonly receive: (frame: Frame, connection: Connection) => Promise<void>;
}

/** Limits and logger of a connection. */
export type ConnectionSettings = Pick<ListenSettings, "maxQueuedBytes" | "maxInFlight" | "logger">;

/** A connected client. */
export class Connection {
  /** Unique id of the connection, for logs. Clients do not see it. */
  readonly id = randomUUID();
  readonly #socket: WebSocket;
  readonly #settings: ConnectionSettings;
  readonly #inbox: Inbox<FrameCheck>;
  #isAlive = true;
  /** Number of frames that wait to be sent. */
  #pending = 0;
  /** Size of the message in flight that is larger than the queue. */
  #largeBytes = 0;
  #takesFrames = true;

  constructor(socket: WebSocket, handler: FrameHandler, settings: ConnectionSettings) {
    this.#socket = socket;
    this.#settings = settings;
    this.#inbox = new Inbox({
      maxInFlight: settings.maxInFlight,
      check: handler.check,
      answer: (checked) => this.#answer(checked, handler),
      onFailure: (error) => this.#fail(error),
      pause: () => socket.pause(),
      resume: () => {
        // Pongs that arrived while reading was paused are processed only now.
        this.#noteLife();
        socket.resume();
      },
    });
    socket.on("message", (data, isBinary) => this.#take(data, isBinary));
    socket.on("ping", (data) => this.#pong(data));
    socket.on("pong", () => this.#noteLife());
    // Malformed frames and messages over the limit: ws closes the connection with the matching code.
    socket.on("error", (error) => this.#log(`was closed: ${safeReport(error).slice(0, 200)}`));
  }

  /** True if messages can be sent. */
  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /**
   * Sends a message. Returns false if the client has disconnected, or was disconnected because it does not read.
   *
   * @throws if the data cannot be serialized as JSON
   */
  send(message: Frame): boolean {
    return this.sendBytes(encodeUtf8(toFrame(message)));
  }

  /** Sends the bytes of a frame. Several connections may share them. */
  sendBytes(bytes: Uint8Array): boolean {
    if (!this.isOpen || !this.#hasRoom(bytes.byteLength)) return false;
    this.#pending++;
    const isLarge = this.#largeBytes === 0 && bytes.byteLength > this.#settings.maxQueuedBytes / 4;
    if (isLarge) this.#largeBytes = bytes.byteLength;
    this.#socket.send(bytes, { binary: false }, () => {
      if (isLarge) this.#largeBytes = 0;
      this.#settle();
    });
    return true;
  }

  /** Sends a ping, and drops a client that has not responded since the last one. */
  beat(): void {
    // While reading is paused, no pong can arrive.
    if (!this.#isAlive && !this.#inbox.isPaused) return this.#drop("did not respond to a ping");
    this.#isAlive = false;
    if (this.isOpen && this.#hasRoom(0)) this.#ping();
  }

  /** Stops accepting messages. Resolves when the messages in flight are handled. */
  drain(): Promise<void> {
    this.#takesFrames = false;
    return this.#inbox.idle();
  }

  /** Closes the connection with a close frame. */
  close(code: number, reason: string): void {
    // The client's close frame can arrive only if the socket is read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  /** Closes the connection without a close frame. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Checks if the send queue has room. A client that never reads would otherwise fill the memory. */
  #hasRoom(bytes: number): boolean {
    const { bufferedAmount } = this.#socket;
    // Each frame has overhead beyond its bytes: a pong of two bytes takes some hundred bytes in memory.
    const waiting = Math.max(0, bufferedAmount - this.#largeBytes) + this.#pending * FRAME_COST;
    // One message may be larger than the whole queue if nothing else waits.
    const isFull = bufferedAmount > 0 && waiting + bytes > this.#settings.maxQueuedBytes;
    if (isFull) this.#drop("does not read its messages");
    return !isFull;
  }

  #take(data: unknown, isBinary: boolean): void {
    this.#noteLife();
    if (!this.#takesFrames) return this.#complain("The server is stopping.");
    if (isBinary) return this.#complain("Frames must be text, not binary.");
    this.#inbox.take(String(data)); // a buffer with valid UTF-8, checked by ws
  }

  async #answer(checked: FrameCheck, handler: FrameHandler): Promise<void> {
    if (!checked.ok) return this.#complain(checked.reason);
    await handler.receive(checked.frame, this);
  }

  /** Sends a pong through the same queue, so that a client that pings and never reads is disconnected too. */
  #pong(data: Uint8Array): void {
    this.#noteLife();
    if (this.isOpen && this.#hasRoom(data.byteLength)) {
      this.#pending++;
      this.#socket.pong(data, false, this.#settle);
    }
  }

  #ping(): void {
    this.#pending++;
    this.#socket.ping(undefined, false, this.#settle);
  }

  /** Called when a frame was sent or failed. */
  readonly #settle = (): void => {
    this.#pending--;
  };

  #noteLife(): void {
    this.#isAlive = true;
  }

  #fail(error: unknown): void {
    this.#settings.logger?.error(
      `agent: connection ${this.id}: a message handler failed: ${safeReport(error)}`,
    );
    this.#complain("The message could not be handled because of an internal error.");
  }

  #complain(message: string): void {
    this.send({ type: "error", data: { message, updateTime: Date.now() } });
  }

  #drop(reason: string): void {
    this.#log(`was closed: the client ${reason}`);
    this.#socket.terminate();
  }

  #log(text: string): void {
    this.#settings.logger?.warn(`agent: connection ${this.id} ${text}`);
  }
}

/** Approximate memory overhead of a waiting frame in bytes. */
const FRAME_COST = 256;
