/**
 * @fileoverview One client's connection: what it may send and be sent, and how it is noticed that it is gone.
 * @module agent/connection
 */
import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { safeReport } from "@tenon/internal/security/safe-text";
import { type Frame, type FrameCheck, toFrame } from "../messages/frames.js";
import { Inbox } from "./inbox.js";
import type { ListenSettings } from "./options.js";

/** What is done with messages. */
export interface FrameHandler {
  readonly check: (text: string) => Promise<FrameCheck>;
  /** Answers a message that was checked. */
  readonly receive: (frame: Frame, connection: Connection) => Promise<void>;
}

/** The bounds of a connection, and who hears of it. */
export type ConnectionSettings = Pick<ListenSettings, "maxQueuedBytes" | "maxInFlight" | "logger">;

/** A client that is connected. */
export class Connection {
  /** One name for one connection, which is not shown to the client. */
  readonly id = randomUUID();
  readonly #socket: WebSocket;
  readonly #settings: ConnectionSettings;
  readonly #inbox: Inbox<FrameCheck>;
  #isAlive = true;
  /** How many frames wait to leave. */
  #pending = 0;
  /** Of the one message under way that is larger than the queue. */
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
        // Signs of life that came meanwhile are read only now.
        this.#noteLife();
        socket.resume();
      },
    });
    socket.on("message", (data, isBinary) => this.#take(data, isBinary));
    socket.on("ping", (data) => this.#pong(data));
    socket.on("pong", () => this.#noteLife());
    // Broken frames, and messages over the limit: ws closes the connection with the code that says so.
    socket.on("error", (error) => this.#log(`was closed: ${safeReport(error).slice(0, 200)}`));
  }

  /** Whether something can be sent. */
  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /**
   * Sends a message; false where the client is gone, or was cut off because it does not read.
   *
   * @throws where the data is no JSON
   */
  send(message: Frame): boolean {
    return this.sendBytes(encodeUtf8(toFrame(message)));
  }

  /** Sends the bytes of a frame, which several connections may share. */
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

  /** Asks for a sign of life; a client that gave none since the last time is dropped. */
  beat(): void {
    // While nothing is read from a client, no sign of it can arrive.
    if (!this.#isAlive && !this.#inbox.isPaused) return this.#drop("gave no sign of life");
    this.#isAlive = false;
    if (this.isOpen && this.#hasRoom(0)) this.#ping();
  }

  /** Takes no more messages, and resolves when those under way are done. */
  drain(): Promise<void> {
    this.#takesFrames = false;
    return this.#inbox.idle();
  }

  /** Says goodbye. */
  close(code: number, reason: string): void {
    // A goodbye can only be heard back where something is read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  /** Ends the connection without a goodbye. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Sent data waits here until the client reads it; one that never does would fill the memory. */
  #hasRoom(bytes: number): boolean {
    const { bufferedAmount } = this.#socket;
    // What a frame takes beyond its bytes counts too: two bytes of a pong are some hundred here.
    const waiting = Math.max(0, bufferedAmount - this.#largeBytes) + this.#pending * FRAME_COST;
    // One message may be larger than the whole queue, if nothing else waits.
    const isFull = bufferedAmount > 0 && waiting + bytes > this.#settings.maxQueuedBytes;
    if (isFull) this.#drop("does not read what it is sent");
    return !isFull;
  }

  #take(data: unknown, isBinary: boolean): void {
    this.#noteLife();
    if (!this.#takesFrames) return this.#complain("The server is stopping");
    if (isBinary) return this.#complain("A frame must be text, not binary");
    this.#inbox.take(String(data)); // a buffer, whose UTF-8 ws has checked
  }

  async #answer(checked: FrameCheck, handler: FrameHandler): Promise<void> {
    if (!checked.ok) return this.#complain(checked.reason);
    await handler.receive(checked.frame, this);
  }

  /** Pongs wait in the same queue: a client that pings and never reads is cut off too. */
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

  /** A frame has left, or never will. */
  readonly #settle = (): void => {
    this.#pending--;
  };

  #noteLife(): void {
    this.#isAlive = true;
  }

  #fail(error: unknown): void {
    this.#settings.logger?.error(`agent: connection ${this.id}: a message failed: ${safeReport(error)}`);
    this.#complain("The message could not be handled");
  }

  #complain(message: string): void {
    this.send({ type: "error", data: { message, updateTime: Date.now() } });
  }

  #drop(reason: string): void {
    this.#log(`was cut off: it ${reason}`);
    this.#socket.terminate();
  }

  #log(text: string): void {
    this.#settings.logger?.warn(`agent: connection ${this.id} ${text}`);
  }
}

/** Whether a frame got out shows in the life of its connection. */

/** What a frame that waits takes here, about, beyond its bytes. */
const FRAME_COST = 256;
