/**
 * @fileoverview One process that runs the user's code, as the command sees it.
 * @module cli/dev/generation/server-process
 */
import { type ChildProcess, fork } from "node:child_process";
import { OutputLines } from "../log/output-lines.js";
import { Channel } from "../messages/channel.js";
import {
  type FromServer,
  type ModuleToLoad,
  type Preparation,
  SERVER_PROCESS,
  type ServerFacts,
  type ThrownFacts,
  type ToServer,
} from "../messages/messages.js";

/** Program and surroundings of server processes. */
export interface ProcessSettings {
  /** Absolute path of the `tenon` program. */
  readonly program: string;
  /** Flags for Node.js. */
  readonly nodeFlags: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with each line that the user's code prints. */
  readonly onLine: (stream: "stdout" | "stderr", line: string) => void;
  /** Returns a promise if a process must wait before it prints more. */
  readonly whenWritable: () => Promise<void> | undefined;
}

/** Reason for the end of a process. `error` is set if it reported an uncaught error. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly error: ThrownFacts | undefined;
}

/** Outcome of loading a bundle. */
export type LoadOutcome =
  { readonly ok: true; readonly facts: ServerFacts } | { readonly ok: false; readonly error: ThrownFacts };

/** Process that prepares itself, loads one bundle, and serves it until it is stopped. */
export class ServerProcess {
  /** Resolves when the process has ended. */
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #channel: Channel<ToServer, FromServer>;
  readonly #listeners = new Set<(message: FromServer) => void>();
  #prepared: Promise<void> = Promise.resolve();
  #crash: ThrownFacts | undefined;
  #isPrepared = false;
  #hasEnded = false;

  constructor(settings: ProcessSettings) {
    const { program, cwd, env, nodeFlags } = settings;
    const child = fork(program, ["dev", "server-process"], {
      cwd,
      env: { ...env, [SERVER_PROCESS]: "1" },
      execArgv: [...nodeFlags],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#child = child;
    this.#channel = new Channel(child);
    this.#channel.onMessage((message) => this.#take(message));
    for (const stream of ["stdout", "stderr"] as const) readOutput(child, stream, settings);
    this.ended = this.#watchEnd();
  }

  /** True once the process has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** True if the process does not read its messages. */
  get isStuck(): boolean {
    return this.#channel.isFull;
  }

  /** True once the process has prepared itself. */
  get isPrepared(): boolean {
    return this.#isPrepared;
  }

  /** Prepares the process. */
  prepare(preparation: Preparation): void {
    const prepared = this.#next((message) => (message.kind === "prepared" ? true : undefined));
    void this.#channel.send({ kind: "prepare", preparation });
    this.#prepared = prepared.then((isPrepared) => {
      this.#isPrepared = isPrepared === true;
    });
  }

  /** Loads a bundle, after the preparation. A process that ends meanwhile has failed to load it. */
  async load(module: ModuleToLoad): Promise<LoadOutcome> {
    await this.#prepared;
    const outcome = this.#next((message): LoadOutcome | undefined => {
      if (message.kind === "loaded") return { ok: true, facts: message.facts };
      return message.kind === "load-failed" ? { ok: false, error: message.error } : undefined;
    });
    void this.#channel.send({ kind: "load", module });
    return (await outcome) ?? { ok: false, error: describeEnd(await this.ended) };
  }

  /** Calls `listener` with each message from now on. */
  onMessage(listener: (message: FromServer) => void): void {
    this.#listeners.add(listener);
  }

  /** Sends a message. Has no effect if the process has ended. `size` is the size of a client's message in bytes. */
  send(message: ToServer, size = 0): void {
    void this.#channel.send(message, size);
  }

  /** Sends a message, and waits for the one that `find` accepts. Resolves to `undefined` if the process ends first. */
  ask<T>(message: ToServer, find: (message: FromServer) => T | undefined): Promise<T | undefined> {
    const found = this.#next(find);
    this.send(message);
    return found;
  }

  /** Stops the process. Kills it if it does not stop in time. */
  async stop(graceMs: number): Promise<void> {
    if (this.#hasEnded) return;
    this.send({ kind: "stop" });
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends the process at once. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Waits for the exit, and for the last messages, which can arrive after it. */
  async #watchEnd(): Promise<ProcessEnd> {
    const child = this.#child;
    const drained = new Promise<void>((resolve) => {
      this.#channel.onClose(resolve);
    });
    const [code, signal] = await new Promise<readonly [number | null, string | null]>((resolve) => {
      child.once("exit", (...end) => resolve(end));
      child.on("error", (error) => {
        this.#crash ??= { message: `Could not start a process: ${error.message}` };
        // A process that was not started does not exit.
        if (child.pid === undefined) resolve([null, null]);
      });
    });
    if (child.pid !== undefined) await drained;
    this.#hasEnded = true;
    return { code, signal, error: this.#crash };
  }

  #take(message: FromServer): void {
    if (message.kind === "crash") this.#crash = message.error;
    for (const listener of this.#listeners) listener(message);
  }

  /** Waits for a message. Resolves to `undefined` if the process ends first. */
  #next<T>(find: (message: FromServer) => T | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      const settle = (found: T | undefined) => {
        this.#listeners.delete(listener);
        resolve(found);
      };
      const listener = (message: FromServer) => {
        const found = find(message);
        if (found !== undefined) settle(found);
      };
      this.#listeners.add(listener);
      void this.ended.then(() => settle(undefined));
    });
  }
}

/** Passes on the lines that a process prints, also the last one, which may have no line break. */
function readOutput(
  child: ChildProcess,
  stream: "stdout" | "stderr",
  { onLine, whenWritable }: ProcessSettings,
): void {
  const lines = new OutputLines((line) => onLine(stream, line));
  const source = child[stream];
  source?.setEncoding("utf8").on("data", (text: string) => {
    lines.push(text);
    const wait = whenWritable();
    if (wait === undefined) return;
    source.pause();
    void wait.then(() => source.resume());
  });
  source?.once("end", () => lines.flush());
}

/** Returns the error behind the end of a process, or describes its exit. */
export function describeEnd({ code, signal, error }: ProcessEnd): ThrownFacts {
  if (error !== undefined) return error;
  const how = signal === null ? `exited with code ${code ?? 0}` : `was ended by ${signal}`;
  return { message: `The server process ${how}.` };
}
