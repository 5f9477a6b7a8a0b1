/**
 * @fileoverview Writes messages as whole lines, with backpressure.
 * @module transport/stdio/line-writer
 */
import type { Writable } from "node:stream";
import { type Reply, replyText } from "../../core/wire/receive.js";
import type { McpResponse } from "../../core/wire/response.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { systemPorts } from "@tenon/internal/ports";
import type { JsonRpcNotification, JsonRpcRequest } from "../../protocol/index.js";

/** Sending half of the stdio transport. Lines that the reader has not taken yet are queued, so nothing is lost. */
export class LineWriter {
  readonly #output: Writable;
  readonly #send: Writable["write"];
  readonly #onFull: () => void;
  /** Change notifications that wait for the reader. Repeated changes to the same list are sent once. */
  readonly #changes = new Set<string>();
  #room: Room | undefined;
  #stopped = false;
  /** Lines from the running task. They are written together, because each write costs as much as handling a line. */
  #text = "";
  #tasks = 0;

  /**
   * @param onFull called after every write that leaves the reader behind
   * @param send writes to the output; differs from `output.write` while other code's output is redirected
   */
  constructor(output: Writable, onFull: () => void, send: Writable["write"]) {
    this.#output = output;
    this.#send = send;
    this.#onFull = onFull;
  }

  /** True while the reader is behind. */
  get isFull(): boolean {
    return this.#output.writableNeedDrain;
  }

  /** Writes a reply unless it is empty. */
  reply(reply: Reply): void {
    // A change notification must not follow the reply that ends its subscription.
    this.#tellChanges();
    if (!isSingle(reply)) {
      if (reply.length > 0) this.#write(`${replyText(reply)}\n`);
    } else if (!reply.isEmpty()) {
      const halves = reply.halves();
      // A payload that replies share is written as raw bytes.
      if (halves === undefined) this.#write(`${reply.toText()}\n`);
      else this.#writeShared(halves.head, halves.tail);
    }
  }

  /** Writes a request to the client. */
  ask(question: JsonRpcRequest): void {
    this.#write(`${JSON.stringify(question)}\n`);
  }

  /** Writes a notification. If the reader is behind, the promise resolves when it has caught up. */
  notify(notification: JsonRpcNotification): MaybePromise<void> {
    const line = `${JSON.stringify(notification)}\n`;
    if (this.isFull && CHANGE.test(notification.method)) this.#changes.add(line);
    else this.#write(line);
    if (this.isFull && !this.#stopped) return (this.#room ??= createRoom()).promise;
  }

  /** Combines the task's writes into a few large ones. */
  together(task: () => void): void {
    this.#tasks++;
    task();
    if (--this.#tasks === 0) this.#flush();
  }

  /** Continues after the reader has caught up: sends queued changes and releases waiting senders. */
  resume(): void {
    this.#tellChanges();
    if (!this.isFull) this.#release();
  }

  /** Stops writing. Resolves when everything is written, when the output closes, or after `patienceMs`. */
  stop(patienceMs: number): Promise<void> {
    const output = this.#output;
    this.#tellChanges();
    this.#flush();
    this.#stopped = true;
    this.#release();
    return new Promise((resolve) => {
      if (output.writableLength === 0 || !output.writable) return resolve();
      const done = () => {
        stopTimer();
        output.off("close", done);
        resolve();
      };
      const stopTimer = systemPorts.startTimer(done, patienceMs);
      output.once("close", done);
      // An empty write completes after all earlier writes.
      this.#send("", done);
    });
  }

  #tellChanges(): void {
    if (this.#changes.size === 0) return;
    this.#write([...this.#changes].join(""));
    this.#changes.clear();
  }

  #write(text: string): void {
    if (this.#stopped) return;
    this.#text += text;
    if (this.#tasks === 0 || this.#text.length >= this.#output.writableHighWaterMark) this.#flush();
  }

  #writeShared(head: string, tail: Uint8Array): void {
    if (this.#stopped) return;
    this.#output.cork();
    this.#send(this.#text + head);
    this.#text = "";
    this.#send(tail);
    this.#output.uncork();
    this.#write("\n");
    if (this.isFull) this.#onFull();
  }

  #flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.#send(text);
    if (this.isFull) this.#onFull();
  }

  #release(): void {
    this.#room?.open();
    this.#room = undefined;
  }
}

/** Notifications that only report that something has changed. */
const CHANGE = /^notifications\/(?:\w+\/list_changed|resources\/updated)$/;

/** Promise that resolves when the reader has caught up, and the function that resolves it. */
interface Room {
  readonly promise: Promise<void>;
  readonly open: () => void;
}

function createRoom(): Room {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

function isSingle(reply: Reply): reply is McpResponse {
  return !Array.isArray(reply);
}
