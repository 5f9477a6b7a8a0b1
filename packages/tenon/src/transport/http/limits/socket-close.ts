/**
 * @fileoverview Runs tasks when a socket closes, under one listener for each socket.
 * @module transport/http/limits/socket-close
 */
import type { ClientSocket } from "./pipelining.js";

const socketTasks = new WeakMap<ClientSocket, Set<() => void>>();

/**
 * Runs `task` when a socket closes; the function returned forgets it. Pipelined responses need this: they get their
 * socket when the responses before them are complete, and until then no event tells them that it closed.
 */
export function onSocketClose(socket: ClientSocket, task: () => void): () => void {
  const tasks = socketTasks.get(socket) ?? new Set();
  if (!socketTasks.has(socket)) {
    socketTasks.set(socket, tasks);
    socket.once("close", () => tasks.forEach((one) => one()));
  }
  tasks.add(task);
  return () => tasks.delete(task);
}
