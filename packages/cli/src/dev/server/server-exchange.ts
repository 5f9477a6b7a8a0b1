/**
 * @fileoverview Exchange for one call in a server process. Messages to the client go through the command.
 * @module cli/dev/server/server-exchange
 */
import type { Exchange } from "tenon";
import type { Connection } from "tenon/host";
import { isRequestId, type JsonRpcMessage } from "tenon/protocol";
import type { Channel } from "../messages/channel.js";
import type { FromServer, SentMessage, ServerCall, ToServer } from "../messages/messages.js";

/** Channel to the command. */
export type CommandChannel = Channel<FromServer, ToServer>;

/** Parts of an exchange. */
export interface ExchangeParts {
  readonly call: ServerCall;
  readonly connection: Connection;
  readonly channel: CommandChannel;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
}

/** Creates the exchange for a call. */
export function createServerExchange({ call, connection, channel, gone }: ExchangeParts): Exchange {
  const { id, headers, length, asks } = call;
  const notify = (message: JsonRpcMessage) => sendToClient(channel, { kind: "send", call: id, message });
  return {
    connection,
    signal: gone,
    messageLength: length,
    notify,
    hangUp: () => void channel.send({ kind: "hang-up", call: id }),
    ...(headers === undefined
      ? {}
      : { header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined) }),
    ...(asks ? { request: createRequest({ call, connection, channel, gone }, notify) } : {}),
  };
}

/** Sends a message to a client. @throws if the message cannot be serialized */
export async function sendToClient(channel: CommandChannel, message: SentMessage): Promise<void> {
  if (!(await channel.send(message)))
    throw new TypeError("The message cannot be sent, because it is not valid JSON or is too large.");
}

function createRequest(
  { call, connection, channel }: ExchangeParts,
  notify: (message: JsonRpcMessage) => Promise<void>,
): NonNullable<Exchange["request"]> {
  return async (request, signal) => {
    const { message, answer } = connection.ask(request, signal);
    const { id: question } = message;
    const forget = () => {
      if (typeof call.connection !== "number" || !isRequestId(question)) return;
      void channel.send({ kind: "forget", connection: call.connection, question });
    };
    signal.addEventListener("abort", forget, { once: true });
    try {
      await notify(message);
      return await answer;
    } finally {
      signal.removeEventListener("abort", forget);
    }
  };
}
