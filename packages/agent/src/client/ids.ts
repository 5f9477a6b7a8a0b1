/**
 * @fileoverview Random IDs of tasks and messages.
 * @module agent/client/ids
 */
import { systemPorts } from "@tenon/internal/ports";

/** Creates the ID of a new task: a random UUID. Pass it to `send` to know the ID before the server has responded. */
export function createTaskId(): string {
  // Pages without TLS do not have `crypto.randomUUID`.
  const bytes = systemPorts.randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
