/**
 * @fileoverview Interfaces of sessions, for sessions in this process and for sessions that several nodes share.
 * @module tenon/session/sessions
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Connection } from "../core/wire/connection.js";
import type { Auth } from "../core/wire/exchange.js";
import type { RequestId } from "../protocol/index.js";

/** Receives events while a client is connected. */
export interface EventSink {
  /** Sends one event. Returns a promise if the client is slow and the sender should wait. */
  write(data: string, id: string): Promise<void> | undefined;
  /** Sends all events that a task writes in one piece, which takes a sixth less CPU time for ten events. */
  together?(task: () => void): void;
  /** Closes the connection gracefully. */
  end(): void;
}

/** Receives the events of a stream that the client may leave and resume. */
export interface ResumableSink extends EventSink {
  /** Sends an event ID and the reconnect delay, before the first event. */
  prime(id: string, retryMs: number): void;
}

/** Stream of events in a session. It outlives its connection, and a client can resume it. */
export interface SessionStream {
  /** Attaches the first client. Sends a reconnect delay if the client can resume the stream. */
  start(sink: ResumableSink, retryMs: number | undefined): void;
  /**
   * Sends an event immediately, or when a client reconnects. Returns a promise if the sender should wait.
   *
   * @param substitute a short event for a client that reconnects after `data` was dropped
   * @param scopes scopes that a client needs to receive the event, besides those of the stream. The main stream leaves
   * the event out for other clients.
   */
  push(data: string, substitute?: string, scopes?: readonly string[]): Promise<void> | undefined;
  /** Detaches a client that disconnected. Does nothing if a different client has replaced it. */
  detach(sink: EventSink): void;
  /** Disconnects the client, which can reconnect to receive the remaining events. */
  hangUp(): void;
  /** Ends the stream after all pushed events. */
  end(): void;
}

/** Client that opens the main stream or resumes a stream. */
export interface Listener {
  /** ID of the last event that the client received. */
  readonly lastEventId: string | undefined;
  /** Credentials of the client. They may differ from those that the resumed call had. */
  readonly auth?: Pick<Auth, "scopes"> | undefined;
  /** Reconnect delay, if the client's revision supports it. */
  readonly retryMs: number | undefined;
  /** Opens the client's event stream. `onClose` runs when the stream ends or the client disconnects. */
  readonly open: (onClose: () => void) => ResumableSink;
}

/** Option whose limit is reached, and the limit. */
export interface ReachedLimit {
  readonly option: "maxSessions" | "maxSessionsPerPrincipal";
  readonly limit: number;
}

/** Returns true if a limit prevents a new session. */
export function isReachedLimit(outcome: object | undefined): outcome is ReachedLimit {
  return outcome !== undefined && "option" in outcome;
}

/**
 * Outcome of `listen`. Without `listening`, no stream was opened: `not-issued` means that the event ID is not from this
 * session, `over` that the stream has ended and the client has all events, `gone` that the session has ended, `full` that
 * the node has too many streams.
 */
export type Listening = "listening" | "not-issued" | "over" | "gone" | "full";

/** One client's stateful HTTP session. */
export interface LegacySession {
  /** Unguessable ID in visible ASCII. */
  readonly id: string;
  readonly connection: Connection;
  /** Stream for server-initiated messages. */
  readonly main: Pick<SessionStream, "push">;
  /** True once the session has ended. */
  readonly isClosed: boolean;
  /** True if this node is shutting down and has left the session to the other nodes. */
  readonly isLeft?: boolean;
  /**
   * Opens a stream for the replies to requests.
   *
   * @param scopes scopes that a client needs to resume the stream. A later message of a batch may add some.
   */
  openStream(requests: readonly RequestId[], scopes?: readonly string[]): SessionStream;
  /** Opens the main stream, or resumes a stream. */
  listen(listener: Listener): MaybePromise<Listening>;
  /** Runs `task` when the session ends, or immediately if it has ended. */
  onClose(task: () => void): void;
  /**
   * Stores the changes of a request, so that other nodes see them. Called before the response is sent.
   * @throws if the store fails
   */
  readonly sync?: () => Promise<void> | undefined;
}

/** Opens, finds, and ends an endpoint's sessions. */
export interface Sessions {
  /** Number of sessions on this node. */
  readonly size: number;
  /** Maximum number of open sessions. */
  readonly maxSessions: number;
  /**
   * Opens a session. Returns the limit if it is reached.
   *
   * @param address network address of a caller without a principal, if it is known
   */
  open(principal: string | undefined, address?: string): MaybePromise<LegacySession | ReachedLimit>;
  /** Finds a session by ID. Returns `undefined` if a different principal opened it. */
  find(id: string, principal: string | undefined): MaybePromise<LegacySession | undefined>;
  /** Ends a session. Does nothing if the ID is unknown. */
  end(id: string): MaybePromise<void>;
  /** Ends all sessions of this process, or leaves shared ones to the other nodes. */
  close(): MaybePromise<void>;
  /** Logs a failure of the store that the sessions are in. */
  report?(error: unknown): void;
}
