/**
 * @fileoverview A stateless request: everything it needs is in it, and nothing of it stays.
 * @module transport/http/modern
 */
import { Connection } from "../../core/connection.js";
import type { WireServer } from "../../core/server.js";
import { isPromise, type MaybePromise } from "../../internal/maybe-promise.js";
import type { HeaderReader, JsonRpcRequest } from "../../protocol/index.js";
import type { Caller, HttpTurn } from "./exchange-types.js";
import type { ResolvedHttpOptions } from "./options.js";
import { ReplyStream } from "./reply-stream.js";

/** Answers one stateless request. A client that leaves has cancelled it. */
export function answerModern<Context>(
  server: WireServer<Context>,
  options: ResolvedHttpOptions<Context>,
  message: JsonRpcRequest,
  turn: HttpTurn,
  caller: Caller<Context>,
): MaybePromise<void> {
  const stream = new ModernReply(turn, options, new Connection(MODERN), caller.auth);
  const response = server.handle(message, caller.context, stream);
  if (!isPromise(response)) {
    stream.finish(response);
    return undefined;
  }
  stream.expectDelay();
  return response.then((late) => stream.finish(late));
}

const MODERN = { era: "modern" } as const;

class ModernReply extends ReplyStream {
  get header(): HeaderReader {
    return this.turn.request.header;
  }

  get signal(): AbortSignal {
    return this.turn.request.signal;
  }

  get isGone(): boolean {
    return this.turn.request.isGone;
  }
}
