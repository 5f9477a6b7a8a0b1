/**
 * @fileoverview Send queue of one connection. The socket gets large frames in pieces, so that the rest can be dropped at
 * any time if the client does not read.
 * @module agent/socket/outbox
 */
import type { WebSocket } from "ws";
import { FRAME_COST, type QueuedBytes } from "./queued-bytes.js";

/** Dependencies and limits for `Outbox`. */
export interface OutboxParts {
  readonly socket: WebSocket;
  /** Maximum number of bytes in the queue. One large frame does not count. */
  readonly maxBytes: number;
  /** Send queues of all connections. */
  readonly total: QueuedBytes;
  /** Called when the queue was dropped, because it is full or other connections need the memory. */
  readonly onOverflow: () => void;
}

/** Frame or piece of a frame. A long conversation could not be loaded if a large frame counted toward the limit. */
interface Item {
  readonly bytes: Uint8Array;
  readonly isLarge: boolean;
}

type ControlKind = "ping" | "pong";

/** Frames that a client has not taken yet. */
export class Outbox {
  readonly #parts: OutboxParts;
  /** Frames that the socket has not got completely. */
  readonly #queue: Item[] = [];
  /** Number of bytes of the first frame that the socket has got. */
  #offset = 0;
  /** Frames and pieces that the socket has got. */
  readonly #inFlight = new Set<Item>();
  /** Size of all items except the large one, with the overhead of each item. */
  #counted = 0;
  #large: Item | undefined;
  /** Kinds of control frames that the socket has got, with the next frame of each kind. */
  readonly #controls = new Map<ControlKind, Uint8Array | undefined>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Memory that can be freed, in bytes. */
  get size(): number {
    return this.#counted + (this.#large?.bytes.byteLength ?? 0);
  }

  /** Sends a frame, or queues it. Returns false if there is no room. The bytes are not modified and can be shared. */
  send(bytes: Uint8Array): boolean {
    const { maxBytes, total } = this.#parts;
    if (!this.#hasRoom(bytes)) return false;
    const isLarge = this.#large === undefined && bytes.byteLength > maxBytes * LARGE;
    this.#queue.push(this.#hold(bytes, isLarge));
    total.makeRoom(this, bytes);
    this.#pump();
    return true;
  }

  /**
   * Sends a control frame, which may overtake the queue. While the socket has a frame of the same kind, only the latest one
   * waits. So a client that pings and does not read takes no memory (RFC 6455, section 5.5.3).
   */
  sendControl(kind: ControlKind, bytes: Uint8Array): void {
    const { socket } = this.#parts;
    if (socket.readyState !== socket.OPEN) return;
    const isSending = this.#controls.has(kind);
    this.#controls.set(kind, isSending ? bytes : undefined);
    if (isSending) return;
    socket[kind](bytes, false, () => {
      const next = this.#controls.get(kind);
      this.#controls.delete(kind);
      if (next !== undefined) this.sendControl(kind, next);
    });
  }

  /** Drops everything that the socket has not got, and reports that the client does not read. */
  overflow(): void {
    for (const item of this.#queue.splice(0)) this.#release(item);
    this.#parts.onOverflow();
  }

  /** Releases all frames. Called when the connection has closed. */
  close(): void {
    for (const item of [...this.#queue.splice(0), ...this.#inFlight]) this.#release(item);
    this.#inFlight.clear();
  }

  #hasRoom({ byteLength }: Uint8Array): boolean {
    const { socket, maxBytes } = this.#parts;
    // The operating system has got everything, even if the callbacks have not run yet.
    if (this.#queue.length === 0 && socket.bufferedAmount === 0) return true;
    if (this.#counted + byteLength <= maxBytes) return true;
    this.overflow();
    return false;
  }

  /** Passes frames to the socket while it has less than one piece. Control frames may come between two pieces. */
  #pump(): void {
    const { socket } = this.#parts;
    while (socket.readyState === socket.OPEN && socket.bufferedAmount < PIECE) {
      const [first] = this.#queue;
      if (first === undefined) return;
      const start = this.#offset;
      const end = Math.min(start + PIECE, first.bytes.byteLength);
      const fin = end === first.bytes.byteLength;
      this.#offset = fin ? 0 : end;
      if (fin) this.#queue.shift();
      const isWhole = fin && start === 0;
      // A copy, because a view of a large frame would keep all of it in memory until the client takes this piece.
      const item = isWhole ? first : this.#hold(new Uint8Array(first.bytes.subarray(start, end)));
      if (fin && !isWhole) this.#release(first);
      this.#inFlight.add(item);
      socket.send(item.bytes, { binary: false, fin }, () => this.#settle(item));
    }
  }

  #settle(item: Item): void {
    if (!this.#inFlight.delete(item)) return;
    this.#release(item);
    this.#parts.total.noteProgress(this);
    this.#pump();
  }

  #hold(bytes: Uint8Array, isLarge = false): Item {
    const item = { bytes, isLarge };
    if (isLarge) this.#large = item;
    else this.#counted += bytes.byteLength + FRAME_COST;
    this.#parts.total.hold(bytes, this);
    return item;
  }

  #release({ bytes, isLarge }: Item): void {
    if (isLarge) this.#large = undefined;
    else this.#counted -= bytes.byteLength + FRAME_COST;
    this.#parts.total.release(bytes);
    if (this.size === 0) this.#parts.total.forget(this);
  }
}

/** Size of the pieces of a large frame, in bytes. */
const PIECE = 65_536;

/** Part of the limit above which a frame is large. */
const LARGE = 0.25;
