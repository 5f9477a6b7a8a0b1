/**
 * @fileoverview The cheapest transport for servers of the official SDKs: one message in, one message out.
 * @module bench/servers/text-transport
 */
import type { TextServer } from "./contract.js";

/** The side that a server connects to. */
export interface TextTransport {
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: (message: unknown) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
}

/** Creates a transport, and the function that sends through it, one message at a time. */
export function textTransport(): { readonly transport: TextTransport; readonly answer: TextServer } {
  let waiting: ((text: string) => void) | undefined;
  const transport: TextTransport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      waiting?.(JSON.stringify(message));
      return Promise.resolve();
    },
  };
  const answer: TextServer = (text) =>
    new Promise((resolve) => {
      waiting = resolve;
      const message = JSON.parse(text) as { readonly id?: unknown };
      transport.onmessage?.(message);
      if (message.id === undefined) resolve("");
    });
  return { transport, answer };
}
