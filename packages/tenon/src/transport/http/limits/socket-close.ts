/**
 * @fileoverview Runs tasks when a socket closes, with one listener per socket.
 * @module tenon/transport/http/limits/socket-close
 */
import type { ClientSocket } from "./pipelining.js";

const socketTasks = new WeakMap<ClientSocket, Set<() => void>>();

/**
 * Runs `task` when a socket closes. Returns a function that removes the task. Pipelined responses require this: Node
 * assigns their socket after the earlier responses are complete, and until then they receive no close event.
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
