/**
 * @fileoverview Worker processes of a server. Starts them, replaces those that end, and stops them.
 * @module tenon/transport/node/workers/worker-pool
 */
import type { Worker } from "node:cluster";
import { printableLine } from "@tenon/internal/text";
import { toLogLine } from "../../default-log.js";
import { createProcessPort } from "./process-port.js";
import { RpcChannel } from "./rpc-channel.js";

/** Options for a pool. */
export interface PoolOptions {
  /** Number of workers. */
  readonly size: number;
  /** Starts a process that runs the same program. */
  readonly fork: () => Worker;
  /** Port that all workers listen on. */
  readonly port: number;
  /** Time in milliseconds that workers get to stop. */
  readonly graceMs: number;
  /** Serves a new worker's calls. */
  readonly onChannel: (channel: RpcChannel) => void;
  readonly print: (text: string) => void;
  /** Delays before a worker is replaced. Tests use shorter ones. */
  readonly backoff?: Backoff;
}

/** Delays in milliseconds before a worker is replaced. They double with each failure. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Time after which a worker counts as healthy. The next delay is then `firstMs` again. */
  readonly healthyMs: number;
}

const BACKOFF: Backoff = { firstMs: 100, maxMs: 10_000, healthyMs: 30_000 };

/** Number of processes that may end in a row before they listen. Then the program itself is at fault. */
const MAX_START_FAILURES = 3;

/** Time in milliseconds that a worker gets after its grace period, before it is killed. */
const EXIT_MS = 3_000;

/** Place of one worker. Its process can be replaced. */
interface Slot {
  readonly number: number;
  failures: number;
  worker: Worker | undefined;
  channel: RpcChannel | undefined;
  cancelRestart: (() => void) | undefined;
}

/** Worker processes. */
export class WorkerPool {
  /** Resolves when all processes have ended. */
  readonly closed: Promise<void>;
  readonly #options: PoolOptions;
  readonly #slots: readonly Slot[];
  readonly #started: Promise<void>;
  #onStarted: () => void = () => undefined;
  #onStartFailed: (reason: Error) => void = () => undefined;
  #onClosed: () => void = () => undefined;
  #startFailures = 0;
  #ready = 0;
  #isStarted = false;
  #isDraining = false;
  #closing: Promise<void> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.size }, (_, index) => ({
      number: index + 1,
      failures: 0,
      worker: undefined,
      channel: undefined,
      cancelRestart: undefined,
    }));
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    this.#started = new Promise((resolve, reject) => {
      this.#onStarted = resolve;
      this.#onStartFailed = reject;
    });
  }

  /** Channels of the workers that run. */
  get channels(): readonly RpcChannel[] {
    return this.#slots.flatMap(({ channel }) => channel ?? []);
  }

  /** Starts all workers. @throws with the reason if they cannot start; then none of them runs */
  async start(): Promise<void> {
    process.once("exit", this.#killAll);
    for (const slot of this.#slots) this.#fork(slot);
    await this.#started;
  }

  /**
   * Lets the workers report that they are not ready, also those that are still starting. Workers that end are not
   * replaced from now on.
   */
  drain(): void {
    this.#isDraining = true;
    for (const { cancelRestart } of this.#slots) cancelRestart?.();
    for (const channel of this.channels) channel.notify("drain");
  }

  /** Stops all workers gracefully, and kills those that do not end. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  readonly #killAll = (): void => {
    for (const { worker } of this.#slots) worker?.process.kill("SIGKILL");
  };

  #fork(slot: Slot): void {
    const worker = this.#options.fork();
    const channel = new RpcChannel(createProcessPort(worker));
    const state = { isReady: false, since: Date.now(), reason: undefined as string | undefined };
    slot.worker = worker;
    slot.channel = channel;
    slot.cancelRestart = undefined;
    channel.handle({
      join: () => {
        this.#assertOpen();
        return { port: this.#options.port, number: slot.number };
      },
      ready: () => {
        this.#assertOpen();
        if (state.isReady) return;
        state.isReady = true;
        state.since = Date.now();
        if (this.#isDraining) channel.notify("drain");
        this.#onReady();
      },
      failed: ([reason]) => {
        state.reason = String(reason).slice(0, MAX_REASON);
      },
    });
    this.#options.onChannel(channel);
    const onEnd = (exit: string) => {
      if (slot.worker !== worker) return;
      slot.worker = undefined;
      slot.channel = undefined;
      this.#onExit(slot, state, exit);
    };
    worker.once("exit", (code, signal) => onEnd(describeExit(code, signal)));
    // A process that could not be started has no exit event. Other errors concern messages to an ending process.
    worker.on("error", () => {
      if (worker.process.pid === undefined) onEnd("could not be started");
    });
  }

  /** Rejects a worker that is still starting when the pool closes. The worker then ends. */
  #assertOpen(): void {
    if (this.#closing !== undefined) throw new Error("The server is stopping.");
  }

  #onReady(): void {
    this.#startFailures = 0;
    this.#ready++;
    if (this.#isStarted || this.#ready < this.#slots.length) return;
    this.#isStarted = true;
    this.#onStarted();
  }

  #onExit(slot: Slot, { isReady, since, reason }: WorkerState, exit: string): void {
    if (this.#isDraining || this.#closing !== undefined) return;
    const { print } = this.#options;
    // After the start, a reason may pass, such as a store that is not available, and the other workers still serve.
    const isHopeless = reason !== undefined && !this.#isStarted;
    const isProgramAtFault = reason === undefined && !isReady && ++this.#startFailures >= MAX_START_FAILURES;
    if (!isReady && (isHopeless || isProgramAtFault)) {
      this.#giveUp(
        reason ?? `The workers cannot start: worker ${slot.number} ${exit} before it was listening.`,
      );
      return;
    }
    const { firstMs, maxMs, healthyMs } = this.#options.backoff ?? BACKOFF;
    slot.failures = isReady && Date.now() - since >= healthyMs ? 0 : slot.failures + 1;
    const delay = Math.min(firstMs * 2 ** Math.max(slot.failures - 1, 0), maxMs);
    if (isReady) this.#ready--;
    const why = reason === undefined ? "" : ` Reason: ${printableLine(reason)}`;
    print(toLogLine(`Worker ${slot.number} ${exit}. It restarts in ${delay} ms.${why}`));
    const timer = setTimeout(() => this.#fork(slot), delay);
    slot.cancelRestart = () => clearTimeout(timer);
  }

  /** Ends the pool because no worker can start. Before the first start, the caller of `start` gets the reason. */
  #giveUp(reason: string): void {
    const isStarted = this.#isStarted;
    if (isStarted) {
      this.#options.print(toLogLine(`The server stops. ${reason}`));
      process.exitCode = 1;
    }
    const ended = this.close();
    if (!isStarted) void ended.then(() => this.#onStartFailed(withoutStack(reason)));
  }

  async #close(): Promise<void> {
    const { graceMs } = this.#options;
    for (const slot of this.#slots) {
      slot.cancelRestart?.();
      if (slot.worker !== undefined && slot.channel !== undefined) slot.channel.notify("stop");
    }
    const kill = setTimeout(this.#killAll, graceMs + EXIT_MS);
    await Promise.all(this.#slots.flatMap(({ worker }) => (worker === undefined ? [] : exitOf(worker))));
    clearTimeout(kill);
    process.off("exit", this.#killAll);
    this.#onClosed();
  }
}

interface WorkerState {
  readonly isReady: boolean;
  readonly since: number;
  /** Reason that the worker gave for its end. */
  readonly reason: string | undefined;
}

const MAX_REASON = 2_000;

function exitOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) resolve();
    else worker.once("exit", () => resolve());
  });
}

function describeExit(code: number | null, signal: string | null): string {
  return signal === null || signal === "" ? `ended with exit code ${code ?? 0}` : `was ended by ${signal}`;
}

/** Creates an error without a stack, because Node prints it after the sentence in a program that does not catch it. */
function withoutStack(message: string): Error {
  const error = new Error(message);
  error.stack = String(error);
  return error;
}
