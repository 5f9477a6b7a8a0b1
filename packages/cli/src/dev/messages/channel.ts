/**
 * @fileoverview Channel for messages between two processes, on the IPC channel that Node.js opens for a forked process.
 * @module cli/dev/messages/channel
 */
import { isJsonObject } from "@tenon/internal/json";

/** The part of `process` and of a child process that a channel uses. */
export interface MessageProcess {
  readonly connected?: boolean;
  send?(
    message: unknown,
    handle?: undefined,
    options?: undefined,
    callback?: (error: Error | null) => void,
  ): boolean;
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "disconnect", listener: () => void): unknown;
}

/** Maximum number of messages that wait for a process that does not read them, and of their bytes. */
const MAX_UNSENT = 10_000;
const MAX_UNSENT_BYTES = 67_108_864;

/** Channel to another process. Messages arrive complete and in order. */
export class Channel<Out extends object, In extends object> {
  readonly #process: MessageProcess;
  readonly #send: MessageProcess["send"];
  #unsent = 0;
  #unsentBytes = 0;
  #isClosed: boolean;

  constructor(process: MessageProcess) {
    this.#process = process;
    // Kept, because the user's code must not see the function.
    this.#send = process.send?.bind(process);
    // The other process may have ended while this one was starting.
    this.#isClosed = process.connected === false;
    process.once("disconnect", () => {
      this.#isClosed = true;
    });
  }

  /** True if too many messages wait to be sent. */
  get isFull(): boolean {
    return this.#unsent >= MAX_UNSENT || this.#unsentBytes >= MAX_UNSENT_BYTES;
  }

  /**
   * Sends a message. Resolves when it has left this process, or when the other process has ended. Resolves to false if
   * the message cannot be serialized, because it is too large or contains itself. Never rejects.
   *
   * @param size size of the message in bytes, if it comes from a client
   */
  send(message: Out, size = 0): Promise<boolean> {
    const send = this.#send;
    if (this.#isClosed || send === undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#unsent++;
      this.#unsentBytes += size;
      const settle = (isSent: boolean) => {
        this.#unsent--;
        this.#unsentBytes -= size;
        resolve(isSent);
      };
      try {
        send({ [MARK]: message }, undefined, undefined, () => settle(true));
      } catch {
        settle(false);
      }
    });
  }

  /** Calls `listener` with each message. Messages that the user's code sends are ignored. */
  onMessage(listener: (message: In) => void): void {
    this.#process.on("message", (message) => {
      const content = isJsonObject(message) ? message[MARK] : undefined;
      // Safe: only this class sends messages with the mark.
      if (isJsonObject(content)) listener(content as In);
    });
  }

  /** Calls `listener` when the other process has ended. */
  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#process.once("disconnect", listener);
  }
}

/** Member that marks messages of this package. */
const MARK = "tenon-dev";
