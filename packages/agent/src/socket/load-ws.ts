/**
 * @fileoverview The WebSocket library, loaded when a server starts.
 * @module agent/socket/load-ws
 */
import type { WebSocketServer } from "ws";

/** What is used of the library. */
export interface WsLibrary {
  readonly WebSocketServer: typeof WebSocketServer;
}

/** Loads ws, an optional peer. @throws saying how to install it */
export async function loadWs(load: () => Promise<WsLibrary> = () => import("ws")): Promise<WsLibrary> {
  try {
    return await load();
  } catch (cause) {
    throw new Error("The WebSocket server needs the package ws: npm install ws", { cause });
  }
}
