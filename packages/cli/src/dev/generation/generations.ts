/**
 * @fileoverview Starts, replaces, and restarts the generations. New calls go to the current one. The last good bundle
 * keeps serving until a newer one has been loaded.
 * @module cli/dev/generation/generations
 */
import { type FromServer, type ServerFacts, type ThrownFacts, toThrownFacts } from "../messages/messages.js";
import { Generation } from "./generation.js";
import { RestartLimit } from "./restart-limit.js";
import { describeEnd, type LoadOutcome, type ProcessSettings, type ServerProcess } from "./server-process.js";
import { SpareProcess, type Surroundings } from "./spare-process.js";

/** Bundle to load, with its surroundings. */
export interface Version extends Surroundings {
  /** Absolute path of the bundle. */
  readonly bundle: string;
  /** The user's file, as it is shown in messages. */
  readonly file: string;
  readonly exportName: string | undefined;
}

/** Receives the changes of generations. */
export interface GenerationListener {
  /** A generation has become the current one. */
  onCurrent(generation: Generation): void;
  /** A generation has sent a message. */
  onMessage(generation: Generation, message: FromServer): void;
  /** A generation has ended. Calls that it has not replied to are lost. */
  onEnded(generation: Generation, reason: ThrownFacts): void;
  /** A generation has crashed. */
  onCrash(reason: ThrownFacts, sequel: CrashSequel): void;
  /** The last good version could not be loaded again after a crash. */
  onRestartFailed(reason: ThrownFacts): void;
  /** There is no generation, and none is being started. Calls that wait for one are rejected with the reason. */
  onUnavailable(reason: ThrownFacts): void;
}

/** Event after a crash: a new start, none because there were too many, or none because newer code is serving. */
export type CrashSequel = "restart" | "limit" | "replaced";

/** Outcome of a reload. */
export type ReloadOutcome =
  /** `before` are the facts of the version that clients have seen last. */
  | { readonly ok: true; readonly facts: ServerFacts; readonly before: ServerFacts | undefined }
  | { readonly ok: false; readonly error: ThrownFacts | undefined };

/** Settings for `Generations`. */
export interface GenerationSettings extends ProcessSettings {
  /** Secret that all processes share. */
  readonly secret: string;
  /** True to measure handlers, for the development page. */
  readonly measures: boolean;
  readonly listener: GenerationListener;
  /** Time in milliseconds for calls in flight when their generation is replaced. */
  readonly graceMs: number;
}

/** Maximum number of replaced generations that still finish calls. Beyond it, the oldest one is killed. */
const MAX_RETIRED = 8;
/** Time in milliseconds for loading a module. */
const LOAD_MS = 60_000;

/** Generations of one run of the command. */
export class Generations {
  readonly #settings: GenerationSettings;
  readonly #spare: SpareProcess;
  readonly #restarts = new RestartLimit();
  readonly #live = new Set<Generation>();
  readonly #loading = new Set<ServerProcess>();
  #current: Generation | undefined;
  #lastGood: Version | undefined;
  #lastFacts: ServerFacts | undefined;
  #count = 0;
  #isRestarting = false;
  #isStopping = false;

  constructor(settings: GenerationSettings) {
    this.#settings = settings;
    this.#spare = new SpareProcess(settings);
  }

  /** Generation that gets new calls. `undefined` before the first one, and after a crash. */
  get current(): Generation | undefined {
    return this.#current;
  }

  /** Number of processes that serve, or finish calls. */
  get liveCount(): number {
    return this.#live.size;
  }

  /** True if there is no generation, and none is being started after a crash. */
  get isDown(): boolean {
    return this.#current === undefined && !this.#isRestarting;
  }

  /** Starts a process before the first bundle is ready. */
  warmUp(surroundings: Surroundings): void {
    this.#spare.start(surroundings);
  }

  /** Loads a version and makes it current. Gives up without an error if the signal aborts. */
  async reload(version: Version, signal: AbortSignal): Promise<ReloadOutcome> {
    const process = this.#spare.take(version);
    const outcome = await this.#load(process, version, signal);
    if (!outcome.ok) {
      if (!this.#isStopping) this.#spare.start(version);
      return outcome;
    }
    this.#restarts.reset();
    const before = this.#lastFacts;
    this.#use(process, version, outcome.facts);
    return { ok: true, facts: outcome.facts, before };
  }

  /** Stops all generations. Calls in flight get `graceMs` to finish. */
  async stop(graceMs: number): Promise<void> {
    this.#killUnused();
    await Promise.all([...this.#live].map((generation) => generation.retire(graceMs)));
  }

  /** Ends all processes at once. */
  kill(): void {
    this.#killUnused();
    for (const generation of this.#live) generation.kill();
  }

  /** Ends the processes that do not serve yet. */
  #killUnused(): void {
    this.#isStopping = true;
    this.#spare.kill();
    for (const process of this.#loading) process.kill();
  }

  /** Loads a version. Ends the process if that fails, takes too long, or is not wanted anymore. */
  async #load(
    process: ServerProcess,
    { bundle, file, exportName }: Version,
    signal?: AbortSignal,
  ): Promise<LoadOutcome | { readonly ok: false; readonly error: undefined }> {
    const { secret, measures } = this.#settings;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      process.kill();
    }, LOAD_MS);
    const onAbort = () => process.kill();
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    this.#loading.add(process);
    const outcome = await process.load({ bundle, file, exportName, secret, measures });
    this.#loading.delete(process);
    signal?.removeEventListener("abort", onAbort);
    clearTimeout(timer);
    const isUnwanted = signal?.aborted === true || this.#isStopping;
    if (outcome.ok && !isUnwanted) return outcome;
    process.kill();
    if (isUnwanted) return { ok: false, error: undefined };
    return isLate ? { ok: false, error: { message: TOO_SLOW } } : outcome;
  }

  #use(process: ServerProcess, version: Version, facts: ServerFacts): void {
    const { listener, graceMs } = this.#settings;
    const previous = this.#current;
    const generation = new Generation(++this.#count, process, facts);
    generation.onMessage((message) => listener.onMessage(generation, message));
    void generation.ended.then((end) => this.#onEnded(generation, describeEnd(end)));
    this.#live.add(generation);
    this.#current = generation;
    this.#lastGood = version;
    this.#lastFacts = facts;
    listener.onCurrent(generation);
    if (previous === undefined) generation.send({ kind: "start" });
    else void previous.retire(graceMs).then(() => generation.send({ kind: "start" }));
    for (const old of [...this.#live].slice(0, -1 - MAX_RETIRED)) old.kill();
    // Started last, because it competes with the reload for the processor.
    this.#spare.start(version);
  }

  #onEnded(generation: Generation, reason: ThrownFacts): void {
    const { listener } = this.#settings;
    this.#live.delete(generation);
    const isCurrent = generation === this.#current;
    if (isCurrent) this.#current = undefined;
    const hasCalls = generation.callsInFlight > 0;
    listener.onEnded(generation, reason);
    if (this.#isStopping || generation.wasKilled) return;
    if (!isCurrent) {
      if (hasCalls) listener.onCrash(reason, "replaced");
      return;
    }
    const version = this.#restarts.admit() ? this.#lastGood : undefined;
    listener.onCrash(reason, version === undefined ? "limit" : "restart");
    if (version === undefined) listener.onUnavailable(reason);
    else void this.#restart(version).catch((error: unknown) => this.#onRestartFailed(toThrownFacts(error)));
  }

  /** Loads the last good version again, unless a reload is faster. */
  async #restart(version: Version): Promise<void> {
    this.#isRestarting = true;
    const process = this.#spare.take(version);
    const outcome = await this.#load(process, version);
    this.#isRestarting = false;
    if (this.#isStopping) return;
    if (this.#current !== undefined) process.kill();
    else if (outcome.ok) this.#use(process, version, outcome.facts);
    else {
      this.#spare.start(version);
      if (outcome.error !== undefined) this.#onRestartFailed(outcome.error);
    }
  }

  #onRestartFailed(reason: ThrownFacts): void {
    const { listener } = this.#settings;
    this.#isRestarting = false;
    listener.onRestartFailed(reason);
    listener.onUnavailable(reason);
  }
}

const TOO_SLOW = `The module did not finish loading within ${LOAD_MS / 1_000} seconds.`;
