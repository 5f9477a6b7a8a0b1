/**
 * @fileoverview Memory of all messages that have arrived only in part. When it is used up, the client that has sent most
 * is disconnected: `maxPayload` limits only one connection.
 * @module agent/socket/incomplete-messages
 */
import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";

/** Maximum memory of all incomplete messages in bytes, unless `maxPayload` is large. */
const MAX_BYTES = 64 * 1_048_576;

/** Connection whose messages are counted. */
export interface CountedConnection {
  readonly webSocket: WebSocket;
  /** Connection below the WebSocket. */
  readonly socket: Duplex;
  /** Disconnects the client, because all clients together have sent too much. */
  readonly drop: () => void;
}

/** Incomplete messages of all connections. */
export class IncompleteMessages {
  readonly #limit: number;
  /** Bytes of each connection that has sent a part of a message. */
  readonly #held = new Map<CountedConnection, number>();
  #bytes = 0;

  /** @param maxPayload maximum size of one message, of which at least two fit */
  constructor(maxPayload: number) {
    this.#limit = Math.max(MAX_BYTES, 2 * maxPayload);
  }

  /** Counts the messages of a connection until it closes. */
  watch(connection: CountedConnection): void {
    const { webSocket, socket } = connection;
    let lastChunk = 0;
    // Runs before ws handles the chunk, so that the frames in it are subtracted afterwards.
    socket.prependListener("data", ({ byteLength }: Uint8Array) => {
      lastChunk = byteLength;
      this.#add(connection, byteLength);
    });
    const subtract = (frame: RawData) => {
      const bytes = this.#heldBy(connection) - frameSize(frame);
      // Headers of fragments are not known, but what is left arrived with the end of the frame.
      this.#set(connection, Math.min(Math.max(0, bytes), lastChunk));
    };
    const subtractControl = (frame: RawData) => this.#add(connection, -frameSize(frame));
    webSocket.on("message", subtract).on("ping", subtractControl).on("pong", subtractControl);
    webSocket.on("close", () => this.#set(connection, 0));
  }

  #heldBy(connection: CountedConnection): number {
    return this.#held.get(connection) ?? 0;
  }

  #add(connection: CountedConnection, change: number): void {
    this.#set(connection, Math.max(0, this.#heldBy(connection) + change));
    if (change > 0 && this.#bytes > this.#limit) this.#dropLargest();
  }

  #set(connection: CountedConnection, bytes: number): void {
    this.#bytes += bytes - this.#heldBy(connection);
    if (bytes > 0) this.#held.set(connection, bytes);
    else this.#held.delete(connection);
  }

  #dropLargest(): void {
    let largest: CountedConnection | undefined;
    let most = 0;
    for (const [connection, bytes] of this.#held) {
      if (bytes <= most) continue;
      largest = connection;
      most = bytes;
    }
    if (largest === undefined) return;
    this.#set(largest, 0);
    largest.drop();
  }
}

/** Returns the size of a frame of a client with its header, if it is not one of several fragments. */
function frameSize(frame: RawData): number {
  const size = Array.isArray(frame)
    ? frame.reduce((sum, { byteLength }) => sum + byteLength, 0)
    : frame.byteLength;
  if (size < SHORT) return size + SHORT_HEADER;
  return size + (size < MEDIUM ? MEDIUM_HEADER : LONG_HEADER);
}

/** Sizes from which a frame has a longer header (RFC 6455, section 5.2), and the headers with their masks. */
const SHORT = 126;
const MEDIUM = 65_536;
const SHORT_HEADER = 6;
const MEDIUM_HEADER = 8;
const LONG_HEADER = 14;
