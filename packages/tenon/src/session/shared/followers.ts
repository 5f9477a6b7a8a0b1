/**
 * @fileoverview Clients that resumed a stream or listen to the main stream on this node. They follow the session's log,
 * which all nodes write to.
 * @module tenon/session/shared/followers
 */
import { isAllowed } from "../../core/wire/access.js";
import type { Change } from "../../core/wire/changes.js";
import { describeChange, receivesChange, scopesOf } from "../../core/methods/subscriptions.js";
import type { EventSink, Listener, ResumableSink } from "../sessions.js";
import { endLostStream } from "./call-stream.js";
import type { ChangeLog } from "./change-log.js";
import type { ClusterNode } from "./cluster-node.js";
import type { NumberedEntry, SessionLog } from "./session-log.js";
import type { MainPosition } from "./session-record.js";
import type { Connection } from "../../core/wire/connection.js";

/** ID of the stream for server-initiated messages. */
export const MAIN = "main";

/** Client on this node that follows a session's log. */
export interface Follower {
  /** ID of the stream that the client follows. */
  readonly stream: string;
  /** Reads the log, because it may have new entries. */
  wake(): void;
  /** Called about once per second. */
  beat(): void;
  /** Disconnects the client. */
  stop(): void;
}

/** Log that a follower reads, and its node. */
export interface FollowedLog {
  readonly node: ClusterNode;
  readonly log: SessionLog;
  /** Credentials of the client. */
  readonly auth?: Listener["auth"];
}

/** Runs reads of a log one after the other. Calls during a read are combined into one more read. */
class Reader {
  readonly #node: ClusterNode;
  readonly #read: () => Promise<void>;
  #work: Promise<void> = Promise.resolve();
  #isDue = false;

  constructor(node: ClusterNode, read: () => Promise<void>) {
    this.#node = node;
    this.#read = read;
  }

  wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.enqueue(async () => {
      this.#isDue = false;
      await this.#read();
    });
  }

  enqueue(task: () => Promise<void>): void {
    this.#work = this.#work.then(task).catch((error: unknown) => this.#node.report(error));
  }
}

/** Place at which a client resumes a stream. */
export interface ResumedStream {
  /** ID of the last event that the client received. */
  readonly after: string;
  /** Reconnect delay, if the client's revision supports it. */
  readonly retryMs: number | undefined;
}

/** Client that resumed the stream of a call. */
export class StreamFollower implements Follower {
  readonly stream: string;
  readonly #followed: FollowedLog;
  readonly #sink: EventSink;
  readonly #reader: Reader;
  #cursor: string;
  /** ID of the last event of this stream. */
  #last: string;
  #isStopped = false;

  /**
   * @param after ID of the last event that the client received. The first event repeats it: a client forgets the one that
   * it sent, and could not resume again if the connection breaks before the next event.
   */
  constructor(followed: FollowedLog, sink: ResumableSink, { after, retryMs }: ResumedStream) {
    if (retryMs !== undefined) sink.prime(after, retryMs);
    this.stream = streamOf(after);
    this.#followed = followed;
    this.#sink = sink;
    this.#cursor = after;
    this.#last = after;
    this.#reader = new Reader(followed.node, () => this.#read());
  }

  wake(): void {
    this.#reader.wake();
  }

  /** Reads what a lost message announced, and ends the stream if the node that runs the call was lost. */
  beat(): void {
    const { node, log } = this.#followed;
    this.#reader.enqueue(async () => {
      if (this.#isStopped) return;
      if (!(await node.isAlive(nodeOf(this.stream)))) await endLostStream(log, this.stream);
      await this.#read();
    });
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#sink.end();
  }

  async #read(): Promise<void> {
    if (this.#isStopped) return;
    const { log } = this.#followed;
    const newer = await log.read(this.#cursor);
    const entries = newer ?? (await readRetained(log, this.#last));
    // The log was trimmed or deleted, so the rest of the stream is gone.
    if (newer === undefined && entries.length === 0) return this.stop();
    for (const entry of entries) this.#send(entry);
  }

  #send({ id, stream, data, scopes = [], isLast, isNewer }: NumberedEntry): void {
    if (stream !== this.stream || this.#isStopped) return void (this.#cursor = id);
    // The client resumes the stream on a node that can read the event.
    if (isNewer === true) return this.stop();
    this.#cursor = id;
    if (!isAllowed({ scopes }, this.#followed.auth)) return this.stop();
    this.#last = id;
    if (data !== undefined) void this.#sink.write(data, id);
    if (isLast === true) this.stop();
  }
}

/**
 * Returns true if a call's stream has no more events after the last one that a client received. A stream that the client
 * may not read looks like one whose events are gone.
 */
export async function isOver(log: SessionLog, lastEventId: string, auth: Listener["auth"]): Promise<boolean> {
  const newer = await log.read(lastEventId);
  const entries = newer ?? (await readRetained(log, lastEventId));
  const rest = entries.filter(({ stream }) => stream === streamOf(lastEventId));
  if (!rest.every(({ scopes = [] }) => isAllowed({ scopes }, auth))) return true;
  const end = rest.findIndex(({ isLast }) => isLast === true);
  if (end < 0) return newer === undefined && rest.length === 0;
  return rest.slice(0, end).every(({ data }) => data === undefined);
}

/** Returns the entries of a call's stream after an event that the log no longer has. */
async function readRetained(log: SessionLog, after: string): Promise<readonly NumberedEntry[]> {
  const entries = (await log.read()) ?? [];
  return entries.filter((entry) => entry.stream === streamOf(after) && numberOf(entry.id) > numberOf(after));
}

/** Parts of a client on the main stream. */
export interface MainParts extends FollowedLog {
  readonly changes: ChangeLog;
  readonly connection: Connection;
  readonly position: MainPosition;
  /** Resolves when the connection has the newest record of the session. */
  readonly refreshed: () => Promise<void> | undefined;
  /** Called when a change of the server is sent. */
  readonly onChange: (id: string, change: Change) => void;
}

/** Client on the main stream. It receives the session's own messages and the changes of the server. */
export class MainFollower implements Follower {
  readonly stream = MAIN;
  readonly #parts: MainParts;
  readonly #sink: ResumableSink;
  readonly #reader: Reader;
  readonly #stopChanges: () => void;
  #position: MainPosition;
  /** ID of the last entry that was read, of any stream. Empty to read all entries. */
  #cursor: string;
  /** True if the last read failed. */
  #isBehind = false;
  #isStopped = false;

  constructor(parts: MainParts, sink: ResumableSink, retryMs: number | undefined) {
    this.#parts = parts;
    this.#sink = sink;
    this.#position = parts.position;
    this.#cursor = parts.position.own;
    this.#reader = new Reader(parts.node, () => this.#read());
    if (retryMs !== undefined) sink.prime(toMainId(this.#position), retryMs);
    this.#stopChanges = parts.changes.follow(parts.position.change, (id, change) =>
      this.#reader.enqueue(() => this.#sendChange(id, change)),
    );
  }

  /** Position after the last event that was sent. */
  get position(): MainPosition {
    return this.#position;
  }

  wake(): void {
    this.#reader.wake();
  }

  beat(): void {
    if (this.#isBehind) this.wake();
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#stopChanges();
    this.#sink.end();
  }

  async #sendChange(id: string, change: Change): Promise<void> {
    const { auth, connection, refreshed, onChange } = this.#parts;
    // The client may have subscribed on another node a moment ago.
    await refreshed();
    if (this.#isStopped) return;
    this.#position = { ...this.#position, change: id };
    if (!receivesChange(connection, change)) return;
    // The client may have other credentials than the one that has subscribed.
    if (!isAllowed({ scopes: scopesOf(change) }, auth)) return;
    if (change.kind !== "resource") onChange(id, change);
    const { method, params } = describeChange(change);
    this.#write(JSON.stringify({ jsonrpc: "2.0", method, params }));
  }

  async #read(): Promise<void> {
    const { log } = this.#parts;
    this.#isBehind = true;
    const newer = this.#cursor === "" ? undefined : await log.read(this.#cursor);
    // If the last entry no longer exists, all existing ones are newer.
    const entries = newer ?? (await log.read()) ?? [];
    this.#isBehind = false;
    if (this.#isStopped) return;
    for (const { id, stream, data, isNewer } of entries) {
      // The client reconnects, and gets the event from a node that can read it.
      if (stream === MAIN && isNewer === true) return this.stop();
      this.#cursor = id;
      if (stream !== MAIN || data === undefined) continue;
      this.#position = { ...this.#position, own: id };
      this.#write(data);
    }
  }

  #write(data: string): void {
    if (!this.#isStopped) void this.#sink.write(data, toMainId(this.#position));
  }
}

/** Returns the event ID for a position on the main stream. */
function toMainId({ own, change }: MainPosition): string {
  return `${MAIN}.${own}.${change}`;
}

/** Parses the event ID of a main stream. Returns `undefined` for any other text. */
export function readMainId(id: string): MainPosition | undefined {
  const [, own, change] = /^main\.([\w-]{0,64})\.([\w-]{0,64})$/.exec(id) ?? [];
  return own === undefined || change === undefined ? undefined : { own, change };
}

/** Returns true for text that has the form of an event ID of a call's stream. */
export function isStreamEventId(id: string): boolean {
  return /^[0-9a-f]{16}-[0-9a-z]{1,12}_(?:\d{1,15}|lost\d{1,6})$/.test(id);
}

/** Returns the stream that an event ID belongs to. */
export function streamOf(eventId: string): string {
  return eventId.slice(0, eventId.lastIndexOf("_"));
}

/** Returns the number of an event in its stream. Events without a number come last. */
function numberOf(eventId: string): number {
  const number = Number(eventId.slice(eventId.lastIndexOf("_") + 1));
  return Number.isNaN(number) ? Infinity : number;
}

/** Returns the node that runs the call of a stream. */
export function nodeOf(stream: string): string {
  return stream.slice(0, stream.lastIndexOf("-"));
}
