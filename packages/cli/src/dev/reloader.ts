/**
 * @fileoverview Builds and loads the code when a file changes, one version at a time.
 * @module cli/dev/reloader
 */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@tenon/internal/thrown";
import type { BundleFolder } from "./build/bundle-folder.js";
import type { BuildOutcome, Bundle, Bundler } from "./build/bundler.js";
import type { Entry } from "./build/entry.js";
import { readInstallation } from "./build/installation.js";
import type { EnvFile } from "./env-file.js";
import type { Generations, ReloadOutcome, Version } from "./generation/generations.js";
import { compareLists } from "./lists/list-changes.js";
import type { DevLog } from "./log/dev-log.js";
import type { Problem } from "./log/events.js";
import { fromBuildError, fromThrown, type Sources, summarize } from "./log/problems.js";
import type { ToolCosts } from "./log/tool-costs.js";
import type { ServerFacts, ThrownFacts } from "./messages/messages.js";
import type { DevProxy } from "./proxy/dev-proxy.js";
import type { Watched } from "./watch/poll-watch.js";

/** Parts that a reload uses. */
export interface ReloaderParts {
  readonly entry: Entry;
  readonly cwd: string;
  readonly envFile: EnvFile;
  /** URL of the endpoint. `undefined` over stdio. */
  readonly url: string | undefined;
  /** URL of the development page, if there is one. */
  readonly page: string | undefined;
  readonly bundler: Bundler;
  readonly folder: BundleFolder;
  readonly generations: Generations;
  readonly proxy: DevProxy;
  readonly log: DevLog;
  readonly costs: ToolCosts;
  /** Watches files. Returns true if something was not watched before. */
  readonly watch: (watched: Watched) => boolean;
}

/** Version that was loaded last, and the facts that tell it from the next one. */
interface Served {
  readonly version: Version;
  readonly key: string;
}

/** Time in milliseconds in which a file with an error may change again before the error is shown. */
const SETTLE_MS = 50;
/** Time in milliseconds after the start in which clients connect, before tokens are counted. */
const QUIET_MS = 300;
/** Time in milliseconds for a module that is being loaded when a file changes. */
const PATIENCE_MS = 1_000;
/** Maximum number of builds in one reload. */
const MAX_BUILDS = 4;

/** Reloads the code. */
export class Reloader {
  readonly #parts: ReloaderParts;
  #files: ReadonlySet<string> = new Set();
  #served: Served | undefined;
  #packages: { readonly names: string; readonly path: string } | undefined;
  #since: number | undefined;
  #loading: AbortController | undefined;
  #hasFailed = false;
  #isRunning = false;
  #isClosed = false;

  constructor(parts: ReloaderParts) {
    this.#parts = parts;
  }

  /** The user's files, for messages about errors in them. */
  get sources(): Sources {
    return { cwd: this.#parts.cwd, files: this.#files };
  }

  /** Builds and loads the code, also again if a file changes meanwhile. `since` is the time of the change. */
  async reload(since: number): Promise<void> {
    this.#since ??= since;
    if (this.#isRunning) {
      // A module that does not finish loading must not keep its next version from being loaded.
      const loading = this.#loading;
      setTimeout(() => loading?.abort(), PATIENCE_MS).unref();
      return;
    }
    this.#isRunning = true;
    while (this.#since !== undefined && !this.#isClosed) {
      const started: number = this.#since;
      this.#since = undefined;
      // The system may reject a file or a process. The next change is a new attempt.
      await this.#reloadOnce(started).catch((error: unknown) => this.#onBroken(error));
    }
    this.#isRunning = false;
  }

  /** Stops reloading. */
  close(): void {
    this.#isClosed = true;
    this.#loading?.abort();
  }

  async #reloadOnce(since: number): Promise<void> {
    const { entry, envFile, generations, folder } = this.#parts;
    const built = await this.#build();
    if (this.#isClosed) return;
    if (!built.ok) return (await this.#isSettled()) ? this.#onBuildFailed(built) : undefined;
    const { fingerprint: installation } = readInstallation(entry);
    const env = envFile.read();
    const key = JSON.stringify([built.bundle.hash, env, installation]);
    if (key === this.#served?.key && !generations.isDown) return this.#onUnchanged();
    const version = this.#toVersion(built.bundle, { env, installation });
    const outcome = await this.#load(version);
    if (outcome.ok) return this.#onLoaded(outcome, { version, key }, since);
    folder.delete(version.bundle);
    // Without an error, the file has changed meanwhile, or the command stops.
    if (outcome.error !== undefined && (await this.#isSettled())) this.#onLoadFailed(outcome.error);
  }

  /** Builds the code and watches its files. Builds again if a file may have changed before it was watched. */
  async #build(): Promise<BuildOutcome> {
    const { bundler } = this.#parts;
    let built = await bundler.build();
    for (let count = 1; !this.#isClosed && this.#watch(built) && count < MAX_BUILDS; count++)
      built = await bundler.build();
    return built;
  }

  /** Resolves to false if an editor was still writing a file that has an error. The next change has its own reload. */
  async #isSettled(): Promise<boolean> {
    await sleep(SETTLE_MS);
    return this.#since === undefined && !this.#isClosed;
  }

  /** Writes the bundle, and a module that imports its packages, for the next process. */
  #toVersion({ code, packages }: Bundle, surroundings: Pick<Version, "env" | "installation">): Version {
    const { folder, entry } = this.#parts;
    const names = JSON.stringify(packages);
    if (this.#packages?.names !== names) {
      const path = folder.write(`await Promise.allSettled(${names}.map((name) => import(name)));\n`);
      this.#packages = { names, path };
    }
    const { file, exportName } = entry;
    return {
      ...surroundings,
      bundle: folder.write(code),
      file,
      exportName,
      packages: this.#packages?.path,
    };
  }

  async #load(version: Version): Promise<ReloadOutcome> {
    const loading = new AbortController();
    this.#loading = loading;
    const outcome = await this.#parts.generations.reload(version, loading.signal);
    this.#loading = undefined;
    return outcome;
  }

  async #onLoaded(
    { facts, before }: Extract<ReloadOutcome, { ok: true }>,
    served: Served,
    since: number,
  ): Promise<void> {
    const { folder, proxy, log, costs } = this.#parts;
    if (this.#served !== undefined) folder.delete(this.#served.version.bundle);
    this.#served = served;
    this.#hasFailed = false;
    if (before === undefined) return this.#onStarted(facts);
    const { kinds, definitions } = compareLists(before.lists, facts.lists);
    proxy.announce(kinds);
    const ms = Math.round(performance.now() - since);
    log.print({ event: "reloaded", ms, changes: await costs.addTo(definitions, facts.lists) });
  }

  #onStarted(facts: ServerFacts): void {
    const { url, page, log, costs } = this.#parts;
    const { name, version, isSingle, lists } = facts;
    log.print({ event: "started", name, version, url, page, files: this.#files.size });
    if (isSingle) log.print({ event: "note", text: ONE_SESSION });
    // Loading the tokenizer blocks the process for a moment, so the first clients go first.
    setTimeout(() => void costs.describe(lists).then((tools) => log.print(tools)), QUIET_MS).unref();
  }

  #onBroken(error: unknown): void {
    this.#parts.log.print({
      event: "note",
      text: `Could not reload: ${messageOf(error) ?? "unknown error"}`,
    });
  }

  /** Tells the user that an error has been undone. Otherwise, a file was saved without a change. */
  #onUnchanged(): void {
    if (this.#hasFailed)
      this.#parts.log.print({ event: "note", text: "The code is the same as before the error." });
    this.#hasFailed = false;
  }

  #onBuildFailed({ errors }: Extract<BuildOutcome, { ok: false }>): void {
    const { cwd, log } = this.#parts;
    const problems = errors.map((error) => fromBuildError(error, cwd));
    this.#recordFailure(problems);
    log.print({ event: "build-failed", problems, next: this.#next(), page: this.#firstPage() });
  }

  /** Shows the error of a version that could not be loaded, also of one that was loaded before. */
  #onLoadFailed(error: ThrownFacts): void {
    const problems = fromThrown(error, this.sources);
    this.#recordFailure(problems);
    this.#parts.log.print({ event: "load-failed", problems, next: this.#next(), page: this.#firstPage() });
  }

  /** Records a failure, and rejects calls with the reason if no version is serving. */
  #recordFailure([problem]: readonly Problem[]): void {
    const { generations, proxy } = this.#parts;
    this.#hasFailed = true;
    if (generations.isDown && problem !== undefined) proxy.onUnavailable({ message: summarize(problem) });
  }

  /** Returns the URL of the development page, unless it has been shown already. */
  #firstPage(): string | undefined {
    return this.#served === undefined ? this.#parts.page : undefined;
  }

  #next(): string {
    const { generations, url } = this.#parts;
    if (!generations.isDown) return "The last good version keeps serving.";
    const where = url === undefined ? "" : `Listening on ${url}. `;
    return `${where}Waiting for a file to change.`;
  }

  /**
   * Watches the files of the last build. After a failed build, also those of the build before. Returns true if something
   * was not watched before.
   */
  #watch(built: BuildOutcome): boolean {
    const { entry, envFile, watch } = this.#parts;
    this.#files = built.ok ? built.files : new Set([...this.#files, ...built.files]);
    const files = new Set([entry.path, ...this.#files, envFile.path, ...readInstallation(entry).files]);
    return watch({ files, folders: new Set(built.ok ? [] : built.folders) });
  }
}

const ONE_SESSION =
  "This server supports only one session. To support more, export a function that returns a new server.";
