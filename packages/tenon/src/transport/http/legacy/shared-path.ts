/**
 * @fileoverview Sessions in a store that several nodes share. Responses wait until the store has the session's changes.
 * @module tenon/transport/http/legacy/shared-path
 */
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { isBatch, type Reply } from "../../../core/wire/receive.js";
import { newErrorResponse } from "../../../core/wire/response.js";
import type { LegacySession, Sessions } from "../../../session/sessions.js";
import type { HttpContext } from "../http-context.js";
import { STORE_FAILED } from "../refusals.js";
import type { ReplyStream } from "../reply-stream.js";
import type { SessionPath } from "./session-path.js";

/** Handles failures of the store. */
interface StoreFailures<Context> {
  /** Rejects a request because the session store failed. */
  failStore(context: HttpContext<Context>, error: unknown): void;
  /** Logs a failure of the session store. */
  report(error: unknown): void;
}

/** Sessions of an endpoint with a store. */
export class SharedPath<Context> implements SessionPath<Context> {
  /** A session receives notifications while one of its clients listens on this node. */
  readonly attachesOn = "listen";
  readonly sessions: Sessions;
  readonly #failures: StoreFailures<Context>;

  constructor(sessions: Sessions, failures: StoreFailures<Context>) {
    this.sessions = sessions;
    this.#failures = failures;
  }

  settle<T>(
    outcome: MaybePromise<T>,
    context: HttpContext<Context>,
    proceed: (value: T) => MaybePromise<void>,
  ): MaybePromise<void> {
    return isPromise(outcome)
      ? outcome.then(proceed, (error: unknown) => this.#failures.failStore(context, error))
      : proceed(outcome);
  }

  /** Responds when the store has the changes of the request. */
  async reply(
    reply: MaybePromise<Reply> | undefined,
    stream: ReplyStream<Context>,
    session: LegacySession,
  ): Promise<void> {
    if (isPromise(reply)) stream.expectDelay();
    const done = await reply;
    try {
      await session.sync?.();
    } catch (error) {
      const { "mcp-session-id": _unsaved, ...headers } = stream.context.headers;
      stream.context.headers = headers;
      if (done === undefined || stream.withdraw()) return this.#failures.failStore(stream.context, error);
      this.#failures.report(error);
      const id = isBatch(done) ? null : done.id;
      return stream.finish(newErrorResponse(id, "SERVICE_UNAVAILABLE", STORE_FAILED));
    }
    return done === undefined ? stream.context.empty(202) : stream.finish(done);
  }
}
