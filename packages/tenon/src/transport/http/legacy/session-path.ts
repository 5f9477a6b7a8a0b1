/**
 * @fileoverview Differences between sessions in this process and sessions that several nodes share.
 * @module tenon/transport/http/legacy/session-path
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { HostedServer } from "../../../core/wire/hosted-server.js";
import type { Reply } from "../../../core/wire/receive.js";
import type { LegacySession, Sessions } from "../../../session/sessions.js";
import type { HttpContext } from "../http-context.js";
import type { ReplyStream } from "../reply-stream.js";

/** Sessions of an endpoint, and how requests use them. */
export interface SessionPath<Context> {
  readonly sessions: Sessions;
  /** Continues with the outcome of an operation on sessions. Rejects the request if the operation failed. */
  settle<T>(
    outcome: MaybePromise<T>,
    context: HttpContext<Context>,
    proceed: (value: T) => MaybePromise<void>,
  ): MaybePromise<void>;
  /** Sends a reply. `undefined` means that no reply is required. */
  reply(
    reply: MaybePromise<Reply> | undefined,
    stream: ReplyStream<Context>,
    session: LegacySession,
  ): MaybePromise<void>;
  /** Event from which on a session receives the server's notifications. */
  readonly attachesOn: "open" | "listen";
}

/** Sends the server's notifications to a session until the returned function is called. */
export function attach<Context>(
  server: HostedServer<Context>,
  { connection, main }: LegacySession,
): () => void {
  return server.attach(connection, (notification, scopes) =>
    main.push(JSON.stringify(notification), undefined, scopes),
  );
}
