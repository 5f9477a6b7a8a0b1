/**
 * @fileoverview Sessions in the memory of this process. Their operations are synchronous and do not fail.
 * @module tenon/transport/http/legacy/memory-path
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { Reply } from "../../../core/wire/receive.js";
import { SessionStore } from "../../../session/session-store.js";
import type { ResolvedHttpOptions } from "../options.js";
import type { ReplyStream } from "../reply-stream.js";
import type { SessionPath } from "./session-path.js";

/** Creates the sessions of an endpoint without a store. */
export function createMemoryPath<Context>(options: ResolvedHttpOptions<Context>): SessionPath<Context> {
  const { ports, sessions, maxCallsPerConnection } = options;
  return {
    sessions: new SessionStore(ports, sessions, maxCallsPerConnection),
    settle: (outcome, _context, proceed) => (isPromise(outcome) ? outcome.then(proceed) : proceed(outcome)),
    reply: replyNow,
    attachesOn: "open",
  };
}

/** Responds with 202 if no reply is required, otherwise with JSON or an event stream. */
export function replyNow<Context>(
  reply: MaybePromise<Reply> | undefined,
  stream: ReplyStream<Context>,
): MaybePromise<void> {
  if (reply === undefined) return stream.context.empty(202);
  if (!isPromise(reply)) return stream.finish(reply);
  stream.expectDelay();
  return reply.then((late) => stream.finish(late));
}
