/**
 * @fileoverview Writes messages as whole lines, with backpressure.
 * @module tenon/transport/stdio/line-writer
 */
import type { Writable } from "node:stream";
import type { Reply } from "../../core/wire/receive.js";
import { type McpResponse, newErrorResponse } from "../../core/wire/response.js";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { systemPorts } from "@tenon/internal/ports";
import { type JsonRpcNotification, type JsonRpcRequest, McpError } from "../../protocol/index.js";
import { byteFunctions } from "../node-buffer.js";

/** Functions and limits of a writer. */
export interface LineWriterOptions {
  /** Writes to the output. Differs from `output.write` while other code's output is redirected. */
  readonly send: Writable["write"];
  /** Called after every write that leaves the reader behind. */
  readonly onFull: () => void;
  /** Maximum number of queued bytes. Errors in place of responses are sent beyond it, because they are small. */
  readonly maxBytes: number;
  /** Called for a message that does not fit in the queue, once until the reader has caught up. */
  readonly onRefused: (error: Error) => void;
}

/**
 * Sending half of the stdio transport. Lines that the reader has not taken yet are queued. For a message that does not fit
 * in the queue, its sender gets an error: the client in place of a response, the handler in place of a request.
 * Notifications are dropped.
 */
export class LineWriter {
  readonly #output: Writable;
  readonly #send: Writable["write"];
  readonly #onFull: () => void;
  readonly #maxBytes: number;
  readonly #onRefused: (error: Error) => void;
  /** Change notifications that wait for the reader. Repeated changes to the same list are sent once. */
  readonly #changes = new Set<string>();
  #room: Room | undefined;
  #stopped = false;
  /** True after a message did not fit next to others, until the reader has caught up. */
  #isRefusing = false;
  /** Lines from the running task. They are written together, because each write costs as much as handling a line. */
  #text = "";
  #tasks = 0;

  constructor(output: Writable, { send, onFull, maxBytes, onRefused }: LineWriterOptions) {
    this.#output = output;
    this.#send = send;
    this.#onFull = onFull;
    this.#maxBytes = Math.min(maxBytes, MAX_TEXT);
    this.#onRefused = onRefused;
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
      if (reply.length > 0) this.#write(this.#batchOf(reply));
    } else if (!reply.isEmpty()) {
      const halves = reply.halves();
      // A payload that replies share is written as raw bytes.
      if (halves === undefined) this.#write(`${this.#textOf(reply)}\n`);
      else this.#writeShared(reply, halves);
    }
  }

  /**
   * Writes a notification or a request. If the reader is behind, the promise resolves when it has caught up.
   *
   * @throws {McpError} if a request does not fit in the queue
   */
  send(message: JsonRpcNotification | JsonRpcRequest): MaybePromise<void> {
    const text = JSON.stringify(message);
    if (this.isFull && CHANGE.test(message.method)) this.#changes.add(`${text}\n`);
    else {
      const isRequest = "id" in message;
      const refusal = this.#refusalOf(isRequest ? "request to the client" : "notification", text);
      if (refusal === undefined) this.#write(`${text}\n`);
      else if (isRequest) throw new McpError("SERVICE_UNAVAILABLE", refusal);
    }
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
    if (this.isFull) return;
    this.#isRefusing = false;
    this.#release();
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

  #batchOf(replies: readonly McpResponse[]): string {
    const texts: string[] = [];
    let bytes = 0;
    for (const reply of replies) {
      const text = this.#textOf(reply, bytes);
      bytes += byteFunctions().byteLength(text) + 1;
      texts.push(text);
    }
    return `[${texts.join(",")}]\n`;
  }

  /** Returns the text of a reply, or of an error if the reply does not fit. @param pending bytes of the same line */
  #textOf(reply: McpResponse, pending = 0): string {
    const text = serialize(reply);
    const refusal = this.#refusalOf("response", text, pending);
    return refusal === undefined ? text : toRefusal(reply, refusal);
  }

  /** Returns the reason for which a message does not fit in the queue, and reports it. */
  #refusalOf(kind: string, content: string | Uint8Array, pending = 0): string | undefined {
    const limit = this.#maxBytes;
    const queued = this.#output.writableLength + this.#text.length + pending;
    // A character has at most three bytes.
    if (content.length * 3 <= limit - queued && content.length > 0) return undefined;
    const bytes = sizeOf(content);
    if (queued + bytes <= limit) return undefined;
    const isTooLarge = bytes > limit;
    const reason = isTooLarge
      ? `The ${kind} is too large for this connection (limit: ${limit} bytes).`
      : `The ${kind} was not sent, because ${queued} bytes are queued for the client (limit: ${limit} bytes).`;
    if (isTooLarge || !this.#isRefusing)
      this.#onRefused(new Error(`${reason} Send less, or raise \`maxQueueBytes\`.`));
    this.#isRefusing ||= !isTooLarge;
    return reason;
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

  #writeShared(reply: McpResponse, { head, tail }: ReplyHalves): void {
    if (this.#stopped) return;
    const refusal = this.#refusalOf("response", tail, head.length);
    if (refusal !== undefined) return this.#write(`${toRefusal(reply, refusal)}\n`);
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

/** Maximum size of a line in bytes. Longer texts are not supported by JavaScript. */
const MAX_TEXT = 500_000_000;

type ReplyHalves = NonNullable<ReturnType<McpResponse["halves"]>>;

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

/** Returns the text of a reply, or nothing if it has more characters than JavaScript supports. */
function serialize(reply: McpResponse): string {
  try {
    return reply.toText();
  } catch {
    return "";
  }
}

/** Returns the number of bytes. An empty text stands for one that JavaScript does not support. */
function sizeOf(content: string | Uint8Array): number {
  if (typeof content !== "string") return content.length;
  return content === "" ? Infinity : byteFunctions().byteLength(content);
}

/** Returns the text of the error that the client gets in place of a reply. */
function toRefusal(reply: McpResponse, reason: string): string {
  return newErrorResponse(reply.id, "INTERNAL_ERROR", reason).toText();
}

function isSingle(reply: Reply): reply is McpResponse {
  return !Array.isArray(reply);
}
