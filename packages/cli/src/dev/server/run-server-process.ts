/**
 * @fileoverview Runs a server process of `tenon dev`: prepares itself, loads one bundle, serves it, and stops, also if its parent has ended.
 * @module cli/dev/server/run-server-process
 */
import process from "node:process";
import { pathToFileURL } from "node:url";
import { EXIT } from "@tenon/internal/command-line/command";
import { Channel } from "../messages/channel.js";
import {
  type ModuleToLoad,
  type Preparation,
  SERVER_PROCESS,
  type ToServer,
  toThrownFacts,
} from "../messages/messages.js";
import { loadModule } from "./load-module.js";
import { readFacts } from "./read-facts.js";
import type { CommandChannel } from "./server-exchange.js";
import { ServerHost } from "./server-host.js";
import { Worker } from "node:worker_threads";

/**
 * Runs this process until the command stops it. Resolves to the exit code. The process exits by itself when the command
 * has ended, even if it was killed.
 */
export function runServerProcess(): Promise<number> {
  const channel: CommandChannel = new Channel(process);
  hideFromUserCode();
  channel.onClose(() => process.exit(EXIT.failure));
  reportCrashes(channel);
  watchParent(process.ppid);
  return new Promise((resolve) => {
    const server = new ServerProcess(channel, () => resolve(EXIT.ok));
    channel.onMessage((message) => server.take(message));
  });
}

/** Work of a server process, in the order in which the command requests it. */
class ServerProcess {
  readonly #channel: CommandChannel;
  readonly #onStopped: () => void;
  #host: ServerHost | undefined;

  constructor(channel: CommandChannel, onStopped: () => void) {
    this.#channel = channel;
    this.#onStopped = onStopped;
  }

  take(message: ToServer): void {
    if (message.kind === "prepare") void this.#prepare(message.preparation);
    else if (message.kind === "load") void this.#load(message.module);
    else if (message.kind === "stop") void this.#stop();
    else this.#host?.take(message);
  }

  async #prepare({ env, packages }: Preparation): Promise<void> {
    // As with `node --env-file`, variables that are set already take precedence.
    for (const [name, value] of Object.entries(env)) process.env[name] ??= value;
    // A package that cannot be loaded is reported when the bundle is loaded.
    if (packages !== undefined) await import(pathToFileURL(packages).href).catch(() => undefined);
    await this.#channel.send({ kind: "prepared" });
  }

  async #load(module: ModuleToLoad): Promise<void> {
    try {
      process.setSourceMapsEnabled(true);
      const loaded = await loadModule(module);
      const facts = await readFacts(loaded);
      this.#host = new ServerHost(loaded, this.#channel, module);
      await this.#channel.send({ kind: "loaded", facts });
    } catch (error) {
      await this.#channel.send({ kind: "load-failed", error: toThrownFacts(error) });
    }
  }

  async #stop(): Promise<void> {
    // A server that cannot be closed ends with its process.
    await this.#host?.stop().catch(() => undefined);
    this.#onStopped();
  }
}

/** Hides the IPC channel, because many programs behave differently if they find one. */
function hideFromUserCode(): void {
  delete process.env[SERVER_PROCESS];
  Object.defineProperty(process, "send", { value: undefined, configurable: true, writable: true });
}

/** Reports an uncaught error to the command and exits, unless the user's code handles uncaught errors itself. */
function reportCrashes(channel: CommandChannel): void {
  const onCrash = (thrown: unknown) => {
    if (process.listenerCount("uncaughtException") > 1) return;
    const exit = () => process.exit(EXIT.failure);
    void channel.send({ kind: "crash", error: toThrownFacts(thrown) }).then(exit);
    setTimeout(exit, EXIT_MS);
  };
  process.on("uncaughtException", onCrash);
}

/** Time in milliseconds after which a crashed process exits even if its report could not be sent. */
const EXIT_MS = 1_000;

/** Starts the thread. It does not keep the process running. */
function watchParent(parent: number): void {
  const worker = new Worker(CODE, { eval: true, workerData: parent, stdin: false });
  // Without the thread, the process still ends with its IPC channel.
  worker.on("error", () => undefined);
  worker.unref();
}

/** Code of the thread. A process whose parent has ended gets a new parent, except on Windows. */
const CODE = `
const { workerData: parent } = require("node:worker_threads");
setInterval(() => {
  try {
    process.kill(parent, 0);
    if (process.ppid === parent) return;
  } catch {}
  process.kill(process.pid, "SIGKILL");
}, 1000);
`;
