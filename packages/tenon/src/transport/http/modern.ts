/**
 * @fileoverview Handles stateless requests. Each request is self-contained, and the server keeps no state between
 * requests.
 * @module tenon/transport/http/modern
 */
import { Connection } from "../../core/wire/connection.js";
import type { HostedServer } from "../../core/wire/hosted-server.js";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { JsonRpcRequest } from "../../protocol/index.js";
import type { HttpContext } from "./http-context.js";
import type { ResolvedHttpOptions } from "./options.js";
import { ReplyStream } from "./reply-stream.js";

/** Server that handles stateless requests, and its endpoint's options. */
export interface ModernEndpoint<Context> {
  readonly server: HostedServer<Context>;
  readonly options: ResolvedHttpOptions<Context>;
}

/** Handles one stateless request. Cancels it if the client disconnects. */
export function answerModern<Context>(
  { server, options }: ModernEndpoint<Context>,
  message: JsonRpcRequest,
  context: HttpContext<Context>,
): MaybePromise<void> {
  const stream = new ReplyStream(context, options, new Connection(MODERN));
  const response = server.handle(message, context.caller.context, stream);
  if (!isPromise(response)) {
    stream.finish(response);
    return undefined;
  }
  stream.posted = message;
  stream.expectDelay();
  return response.then((late) => stream.finish(late));
}

const MODERN = { era: "modern" } as const;
