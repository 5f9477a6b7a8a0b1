/**
 * @fileoverview Writes messages as whole lines, and knows when the reader falls behind.
 * @module transport/stdio/line-writer
 */
import type { Writable } from "node:stream";
import { type Reply, replyText } from "../../core/wire/receive.js";
import type { McpResponse } from "../../core/wire/response.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { systemPorts } from "@tenon/internal/ports";
import type { JsonRpcNotification, JsonRpcRequest } from "../../protocol/index.js";

/** The sending half of a transport. Lines that the reader has not taken yet are kept, so nothing is lost. */
export class LineWriter {
  readonly #output: Writable;
  readonly #onFull: () => void;
  /** Changes to tell of when there is room: however often a list changes meanwhile, the client hears of it once. */
  readonly #changes = new Set<string>();
  #room: Room | undefined;
  #stopped = false;
  /** Lines of a running task, to be written together: a write for each line costs as much as the line. */
  #text = "";
  #tasks = 0;

  /** @param onFull told at every write that finds the reader behind */
  constructor(output: Writable, onFull: () => void) {
    this.#output = output;
    this.#onFull = onFull;
  }

  /** True while the reader has yet to catch up. */
  get isFull(): boolean {
    return this.#output.writableNeedDrain;
  }

  /** Writes a reply, if there is anything to send. */
  reply(reply: Reply): void {
    // No change may come after the reply that ends its subscription.
    this.#tellChanges();
    if (!isSingle(reply)) {
      if (reply.length > 0) this.#write(`${replyText(reply)}\n`);
    } else if (!reply.isEmpty()) {
      const halves = reply.halves();
      // A payload that every reply shares is written as the bytes it is.
      if (halves === undefined) this.#write(`${reply.toText()}\n`);
      else this.#writeShared(halves.head, halves.tail);
    }
  }

  /** Writes a question. */
  ask(question: JsonRpcRequest): void {
    this.#write(`${JSON.stringify(question)}\n`);
  }

  /** Writes a notification; where the reader is behind, the promise resolves when it has caught up. */
  notify(notification: JsonRpcNotification): MaybePromise<void> {
    const line = `${JSON.stringify(notification)}\n`;
    if (this.isFull && CHANGE.test(notification.method)) this.#changes.add(line);
    else this.#write(line);
    if (this.isFull && !this.#stopped) return (this.#room ??= createRoom()).promise;
  }

  /** Makes few large writes of what `task` writes. */
  together(task: () => void): void {
    this.#tasks++;
    task();
    if (--this.#tasks === 0) this.#flush();
  }

  /** Goes on after the reader caught up: changes that had to wait are told, and whoever waits goes on. */
  resume(): void {
    this.#tellChanges();
    if (!this.isFull) this.#release();
  }

  /** Writes no more. Resolves when all is out, when it can no longer be, or after so many milliseconds. */
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
      // Sends nothing: its turn comes when all before it is written.
      output.write("", done);
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
    this.#output.write(this.#text + head);
    this.#text = "";
    this.#output.write(tail);
    this.#output.uncork();
    this.#write("\n");
    if (this.isFull) this.#onFull();
  }

  #flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    this.#output.write(text);
    if (this.isFull) this.#onFull();
  }

  #release(): void {
    this.#room?.open();
    this.#room = undefined;
  }
}

/** Notifications that say only that something is no longer what it was. */
const CHANGE = /^notifications\/(?:\w+\/list_changed|resources\/updated)$/;

/** Room in the output, which senders of notifications wait for. */
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
