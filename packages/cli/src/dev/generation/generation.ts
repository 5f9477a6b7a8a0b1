/**
 * @fileoverview One version of the user's code that serves clients, or finishes the calls that it has started.
 * @module cli/dev/generation/generation
 */
import type { FromServer, SentViews, ServerCall, ServerFacts, ToServer } from "../messages/messages.js";
import type { JsonRpcMessage } from "tenon/protocol";
import type { ProcessEnd, ServerProcess } from "./server-process.js";

/** Loaded server process, with the calls that it has not replied to. */
export class Generation {
  /** Sequence number, from 1. */
  readonly number: number;
  readonly facts: ServerFacts;
  readonly #process: ServerProcess;
  readonly #calls = new Set<number>();
  #lastRequest = 0;
  #onIdle: (() => void) | undefined;
  #wasKilled = false;

  constructor(number: number, process: ServerProcess, facts: ServerFacts) {
    this.number = number;
    this.facts = facts;
    this.#process = process;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<ProcessEnd> {
    return this.#process.ended;
  }

  /** True if the process was killed, because its calls took too long. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  /** Number of calls without a reply. */
  get callsInFlight(): number {
    return this.#calls.size;
  }

  /** Calls `listener` with each message of the process. */
  onMessage(listener: (message: FromServer) => void): void {
    this.#process.onMessage(listener);
  }

  /** Sends a message to the process. */
  send(message: ToServer): void {
    this.#process.send(message);
  }

  /**
   * Sends a call. Returns false if the process does not read its messages.
   *
   * @param isStream true for a call that does not end by itself, so that the generation does not wait for it
   */
  call(call: ServerCall, isStream = false): boolean {
    if (this.#process.isStuck) return false;
    if (!isStream) this.#calls.add(call.id);
    this.#process.send({ kind: "call", call }, call.length);
    return true;
  }

  /** Sends a notification or response of a client. Drops it if the process does not read its messages. */
  tell(connection: number, message: JsonRpcMessage, size?: number): void {
    if (!this.#process.isStuck) this.#process.send({ kind: "tell", connection, message }, size);
  }

  /** Reads the views of the module's tools. Resolves to `undefined` if the process ends first. */
  readViews(): Promise<SentViews | undefined> {
    return this.#ask("views", (message) => (message.kind === "views" ? message.views : undefined));
  }

  /** Reads the memory that the process uses, in bytes. Resolves to `undefined` if the process ends first. */
  readMemory(): Promise<number | undefined> {
    return this.#ask("usage", (message) => (message.kind === "usage" ? message.bytes : undefined));
  }

  /** Records that a call has ended. */
  finish(call: number): void {
    if (this.#calls.delete(call) && this.#calls.size === 0) this.#onIdle?.();
  }

  /** Lets the calls in flight finish, and then stops the process. Calls that take longer are lost with the process. */
  async retire(graceMs: number): Promise<void> {
    const deadline = Date.now() + graceMs;
    if (this.#calls.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
        void this.ended.then(() => this.#onIdle?.());
      });
    }
    if (this.#calls.size > 0) this.kill();
    await this.#process.stop(Math.max(deadline - Date.now(), STOP_MS));
  }

  /** Ends the process at once. */
  kill(): void {
    this.#wasKilled = true;
    this.#process.kill();
  }

  #ask<T>(about: "views" | "usage", read: (message: FromServer) => T | undefined): Promise<T | undefined> {
    const request = ++this.#lastRequest;
    return this.#process.ask({ kind: "ask", request, about }, (message) =>
      "request" in message && message.request === request ? read(message) : undefined,
    );
  }
}

/** Minimum time in milliseconds that a process without calls gets to close its server. */
const STOP_MS = 1_000;
