/**
 * @fileoverview A process that is ready to load the next bundle. Starting a process takes longer than everything else in
 * a reload.
 * @module cli/dev/generation/spare-process
 */
import type { Preparation } from "../messages/messages.js";
import { type ProcessSettings, ServerProcess } from "./server-process.js";

/** Surroundings of a process. */
export interface Surroundings extends Preparation {
  /** Differs if the packages may have changed, which a process loads only once. */
  readonly installation: string;
}

/** Keeps one prepared process. */
export class SpareProcess {
  readonly #settings: ProcessSettings;
  #process: ServerProcess | undefined;
  #packages: string | undefined;
  #key = "";

  constructor(settings: ProcessSettings) {
    this.#settings = settings;
  }

  /** Starts a process, unless one with the same surroundings is there. */
  start(surroundings: Surroundings): void {
    const found = this.#find(surroundings);
    if (found === undefined) this.#process = this.#create(surroundings);
  }

  /** Returns a process, which may still prepare itself. The caller owns it. */
  take(surroundings: Surroundings): ServerProcess {
    const process = this.#find(surroundings) ?? this.#create(surroundings);
    this.#process = undefined;
    return process;
  }

  /** Ends the process. */
  kill(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  /** Returns the process if it can be used. */
  #find({ env, installation, packages }: Surroundings): ServerProcess | undefined {
    const process = this.#process;
    if (process === undefined || process.hasEnded) return undefined;
    // A package that does not finish loading must not delay code that does not import it.
    const isUsable = process.isPrepared || this.#packages === undefined || this.#packages === packages;
    return isUsable && this.#key === toKey({ env, installation }) ? process : undefined;
  }

  /** Creates a process that replaces the one before. */
  #create({ env, installation, packages }: Surroundings): ServerProcess {
    this.#process?.kill();
    this.#key = toKey({ env, installation });
    this.#packages = packages;
    const process = new ServerProcess(this.#settings);
    process.prepare({ env, packages });
    return process;
  }
}

function toKey(surroundings: Omit<Surroundings, "packages">): string {
  return JSON.stringify(surroundings);
}
