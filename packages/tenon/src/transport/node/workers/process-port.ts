/**
 * @fileoverview Port between a process and a worker that it has started, on the channel that Node.js opens for both.
 * @module tenon/transport/node/workers/process-port
 */
import type { TextPort } from "./rpc-channel.js";

/** The part of `process` and of a cluster's worker that a port uses. */
export interface MessageProcess {
  send?(
    message: unknown,
    handle?: undefined,
    options?: undefined,
    callback?: (error: Error | null) => void,
  ): boolean;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect" | "exit", listener: () => void): unknown;
  isConnected?(): boolean;
}

/** Creates a port. Messages of the program itself are ignored. */
export function createProcessPort(process: MessageProcess): TextPort {
  return {
    send(text, onSent) {
      try {
        // Errors mean that the channel has closed, which `onClose` reports.
        process.send?.({ [MARK]: text }, undefined, undefined, onSent);
      } catch {
        onSent();
      }
    },
    onText(listener) {
      process.on("message", (message) => {
        const text = readMark(message);
        if (text !== undefined) listener(text);
      });
    },
    onClose(listener) {
      process.once("disconnect", listener);
      process.once("exit", listener);
    },
  };
}

/** Member that marks messages of Tenon. */
const MARK = "tenon";

function readMark(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !(MARK in message)) return undefined;
  const { [MARK]: text } = message;
  return typeof text === "string" ? text : undefined;
}
