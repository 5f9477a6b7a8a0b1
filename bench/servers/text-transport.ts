/**
 * @fileoverview The cheapest transport for servers of the official SDKs: one message in, one message out.
 * @module bench/servers/text-transport
 */
import type { RawMessage, TextServer } from "./contract.js";

/** The side that a server connects to. */
export interface MessageTransport {
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: unknown) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
}

/** A transport, and the function that sends through it, one message at a time. */
interface Line<Reply> {
  readonly transport: MessageTransport;
  readonly ask: (message: RawMessage) => Promise<Reply | undefined>;
}

/** Creates a transport for messages as objects. */
export function objectTransport(): Line<unknown> {
  return openLine((message) => message);
}

/** Creates a transport for messages as text. */
export function textTransport(): { readonly transport: MessageTransport; readonly answer: TextServer } {
  const { transport, ask } = openLine(JSON.stringify);
  // Safe: only notifications get no text, and their replies are not read.
  return { transport, answer: (text) => ask(JSON.parse(text) as RawMessage) as Promise<string> };
}

function openLine<Reply>(convert: (message: unknown) => Reply): Line<Reply> {
  let waiting: ((reply: Reply | undefined) => void) | undefined;
  const transport: MessageTransport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      waiting?.(convert(message));
      return Promise.resolve();
    },
  };
  const ask = (message: RawMessage) =>
    new Promise<Reply | undefined>((resolve) => {
      waiting = resolve;
      transport.onmessage?.(message);
      if (message.id === undefined) resolve(undefined);
    });
  return { transport, ask };
}
