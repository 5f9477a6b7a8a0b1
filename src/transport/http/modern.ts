/**
 * @fileoverview A stateless request: everything it needs is in it, and nothing of it stays.
 * @module transport/http/modern
 */
import { Connection } from "../../core/connection.js";
import type { WireServer } from "../../core/server.js";
import { isPromise } from "../../internal/maybe-promise.js";
import type { JsonRpcRequest } from "../../protocol/index.js";
import type { Caller, HttpTurn } from "./exchange-types.js";
import type { ResolvedHttpOptions } from "./options.js";
import { ReplyStream } from "./reply-stream.js";

/** Answers one stateless request. A client that leaves has cancelled it. */
export async function answerModern<Context>(
  server: WireServer<Context>,
  options: ResolvedHttpOptions<Context>,
  message: JsonRpcRequest,
  { request, sink, headers }: HttpTurn,
  caller: Caller<Context>,
): Promise<void> {
  const stream = new ReplyStream(sink, headers, options);
  const response = server.handle(message, caller.context, {
    connection: new Connection({ era: "modern" }),
    auth: caller.auth,
    header: request.header,
    signal: request.signal,
    notify: (notification) => stream.send(JSON.stringify(notification)),
  });
  if (!isPromise(response)) {
    stream.finish(response);
    return;
  }
  stream.expectDelay();
  stream.finish(await response);
}
