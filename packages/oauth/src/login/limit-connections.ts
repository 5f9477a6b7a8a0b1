/**
 * @fileoverview Limits a server's open connections. A new connection replaces the oldest idle one, so that a local
 * program that only opens connections cannot keep the browser out.
 * @module oauth/login/limit-connections
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Closes the oldest idle connections of a server when it has more than `max`. */
export function limitConnections(server: Server, max: number): void {
  /** Open connections, oldest first, and the number of requests in flight on each. */
  const open = new Map<Socket, number>();
  let isScheduled = false;

  const closeOldest = (): void => {
    isScheduled = false;
    let excess = open.size - max;
    for (const [socket, requests] of open) {
      if (excess <= 0) return;
      if (requests > 0) continue;
      open.delete(socket);
      socket.destroy();
      excess -= 1;
    }
  };
  const add = (socket: Socket, change: number): void => {
    const requests = open.get(socket);
    if (requests !== undefined) open.set(socket, requests + change);
  };

  server.on("connection", (socket: Socket) => {
    open.set(socket, 0);
    socket.once("close", () => open.delete(socket));
    if (open.size <= max || isScheduled) return;
    isScheduled = true;
    // Many connections can arrive at once. The second turn comes after what they have sent was read, so a connection
    // whose request has already arrived is no longer idle.
    setImmediate(() => setImmediate(closeOldest));
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    add(socket, 1);
    response.once("close", () => add(socket, -1));
  });
}
