/**
 * @fileoverview Stream of the replies to one request, on the node that runs the call. Every event is stored before it is
 * sent, so a client that reconnects to any node receives the rest without loss or duplicates.
 * @module tenon/session/shared/call-stream
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { newErrorResponse } from "../../core/wire/response.js";
import { isRequestId, type RequestId } from "../../protocol/index.js";
import { StoreError } from "../../stores/store-error.js";
import type { StreamLimits } from "../session-limits.js";
import type { EventSink, ResumableSink, SessionStream } from "../sessions.js";
import type { ClusterNode } from "./cluster-node.js";
import type { LogEntry, SessionLog } from "./session-log.js";

/** Parts of a stream. */
export interface CallStreamParts {
  readonly node: ClusterNode;
  readonly log: SessionLog;
  readonly bounds: StreamLimits;
  /** Requests that the stream replies to. */
  readonly requests: readonly RequestId[];
  /** Scopes that a client needs to resume the stream. */
  readonly scopes: readonly string[];
  /** Called once the stream has ended and all of its events are stored. */
  readonly onEnd: () => void;
}

/** Stream of one call, on the node that runs the call. */
export class CallStream implements SessionStream {
  readonly id: string;
  readonly #parts: CallStreamParts;
  #sink: EventSink | undefined;
  #last = 0;
  #isEnded = false;
  /** False if the store failed for too long. Events are then sent without being stored. */
  #isStored = true;
  #isDiscarded = false;
  #queued = 0;
  #queuedLength = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(id: string, parts: CallStreamParts) {
    this.id = id;
    this.#parts = parts;
  }

  start(sink: ResumableSink, retryMs: number | undefined): void {
    this.#sink = sink;
    const { requests } = this.#parts;
    const id = firstEntryOf(this.id);
    void this.#enqueue(0, async () => {
      await this.#store(id, { stream: this.id, requests });
      if (retryMs !== undefined && this.#sink === sink) sink.prime(id, retryMs);
    });
  }

  push(data: string, substitute?: string): Promise<void> {
    if (this.#isEnded) return Promise.resolve();
    const id = `${this.id}_${++this.#last}`;
    return this.#enqueue(data.length, async () => {
      const { scopes } = this.#parts;
      await this.#store(id, { stream: this.id, data, ...(scopes.length > 0 && { scopes }) }, substitute);
      const sink = this.#sink;
      if (sink !== undefined) await sink.write(data, id);
      else await this.#wake();
    });
  }

  detach(sink: EventSink): void {
    if (this.#sink === sink) this.#sink = undefined;
  }

  hangUp(): void {
    void this.#enqueue(0, async () => this.#release());
  }

  /** Ends the connection of the client, because it resumed the stream elsewhere. */
  release(): void {
    this.#release();
    // The new client may have read the log before the last event for the old one was stored.
    void this.#enqueue(0, () => this.#wake());
  }

  /** Ends the connection of the client, because the session has ended. Later events are not stored. */
  discard(): void {
    this.#isDiscarded = true;
    this.#release();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    void this.#enqueue(0, async () => {
      await this.#store(lastEntryOf(this.id), { stream: this.id, isLast: true });
      if (this.#sink === undefined) await this.#wake();
      else this.#release();
      if (!this.#isStored && !this.#isDiscarded) await endStream(this.#parts.log, this.id, DROPPED);
    }).finally(this.#parts.onEnd);
  }

  /** Ends the stream of a call that this node can no longer finish. Resolves when all events are stored and sent. */
  async abandon(): Promise<void> {
    const isFinished = this.#isEnded;
    this.#isEnded = true;
    await this.#work;
    if (isFinished) return;
    const replies = await endStream(this.#parts.log, this.id, STOPPED);
    for (const { id, data } of replies) void this.#sink?.write(data, id);
    this.#release();
  }

  /** Runs tasks one after the other. At the limit, events are no longer stored, and waiting ones are sent at once. */
  #enqueue(length: number, task: () => Promise<void>): Promise<void> {
    const { maxEvents, maxLength } = this.#parts.bounds;
    this.#queued++;
    this.#queuedLength += length;
    if (this.#queued > maxEvents || this.#queuedLength - length > maxLength)
      this.#giveUp(new Error(QUEUE_FULL));
    this.#work = this.#work
      .then(task)
      .catch((error: unknown) => this.#parts.node.report(error))
      .finally(() => {
        this.#queued--;
        this.#queuedLength -= length;
      });
    return this.#work;
  }

  async #store(id: string, entry: LogEntry, substitute?: string): Promise<void> {
    if (!this.#isStored || this.#isDiscarded) return;
    const { log } = this.#parts;
    try {
      await log.append(id, entry);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "too-large") this.#giveUp(error);
      else if (substitute !== undefined) await log.append(id, { stream: this.id, data: substitute });
    }
  }

  #giveUp(error: unknown): void {
    if (this.#isStored) this.#parts.node.report(error);
    this.#isStored = false;
  }

  async #wake(): Promise<void> {
    if (this.#isStored && !this.#isDiscarded) await this.#parts.log.wake();
  }

  #release(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.end();
  }
}

/**
 * Ends a stream whose node was lost: replies to its requests with an error. Several nodes may do so at the same time,
 * and the log keeps one of each entry.
 */
export async function endLostStream(log: SessionLog, stream: string): Promise<void> {
  await endStream(log, stream, LOST);
}

/** Replies to the requests of a stream that have no reply, and ends it. Returns these replies. */
async function endStream(log: SessionLog, stream: string, message: string): Promise<readonly Reply[]> {
  const entries = ((await log.read()) ?? []).filter((entry) => entry.stream === stream);
  if (entries.length === 0 || entries.some(({ isLast, isNewer }) => (isLast ?? isNewer) === true)) return [];
  const replied = new Set(entries.map(({ data }) => replyIdOf(data)));
  const requests = entries.flatMap((entry) => entry.requests ?? []).filter((id) => !replied.has(id));
  const replies = requests.map((id, index) => ({
    id: `${stream}_lost${index}`,
    data: newErrorResponse(id, "SERVICE_UNAVAILABLE", message).toText(),
  }));
  for (const { id, data } of replies) await log.append(id, { stream, data });
  await log.append(lastEntryOf(stream), { stream, isLast: true });
  await log.wake();
  return replies;
}

interface Reply {
  readonly id: string;
  readonly data: string;
}

/** Returns the ID of a stream's first entry, which a client can resume after before it has received an event. */
export function firstEntryOf(stream: string): string {
  return `${stream}_0`;
}

function lastEntryOf(stream: string): string {
  return `${stream}_end`;
}

/** Returns the ID of the request that an event replies to. */
function replyIdOf(data: string | undefined): RequestId | undefined {
  const message = data === undefined ? undefined : readJson(data);
  if (!isJsonObject(message) || "method" in message) return undefined;
  const { id } = message;
  return isRequestId(id) ? id : undefined;
}

const LOST =
  "The node that ran this call was lost, so its outcome is unknown. Check the outcome before you retry.";
const STOPPED =
  "The node that ran this call has stopped, so its outcome is unknown. Check the outcome before you retry.";
const DROPPED = "The events of this call could not be stored. Check the outcome before you retry.";
const QUEUE_FULL = "Too many events of a session wait for the store. The client cannot resume this stream.";
