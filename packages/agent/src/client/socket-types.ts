/**
 * @fileoverview The part of the WebSocket API that the client uses. The classes of browsers, Node.js 22, and the package
 * `ws` have it.
 * @module agent/client/socket-types
 */

/** WebSocket connection. */
export interface ClientSocket {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

/** WebSocket class. */
export type ClientSocketClass = new (url: string) => ClientSocket;
