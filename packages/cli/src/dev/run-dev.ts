/**
 * @fileoverview Runs `tenon dev`: creates the parts, serves until the command is stopped, and stops everything.
 * @module cli/dev/run-dev
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { EXIT, type Terminal, whenAborted } from "@tenon/internal/command-line/command";
import { openBrowser } from "@tenon/internal/command-line/open-browser";
import { packageFacts } from "@tenon/internal/command-line/package-facts";
import { hasColors, isTerminal } from "@tenon/internal/command-line/text";
import { messageOf } from "@tenon/internal/thrown";
import { DevPage } from "../page/bridge/dev-page.js";
import { BundleFolder } from "./build/bundle-folder.js";
import { type Bundler, createBundler } from "./build/bundler.js";
import type { Entry } from "./build/entry.js";
import { findRoot, readInstallation } from "./build/installation.js";
import type { EnvFile } from "./env-file.js";
import { type CrashSequel, Generations } from "./generation/generations.js";
import { RESTART_LIMIT } from "./generation/restart-limit.js";
import { toCallEvent } from "./log/call-event.js";
import { DevLog } from "./log/dev-log.js";
import { fromThrown, type Sources } from "./log/problems.js";
import { ToolCosts } from "./log/tool-costs.js";
import { DevProxy, type ProxyEvents } from "./proxy/dev-proxy.js";
import { Reloader } from "./reloader.js";
import type { Address } from "../run/address.js";
import { serveAll, serveOverStdio } from "./serve/serve-all.js";
import { createWatcher } from "./watch/watcher.js";

/** Options of the command. */
export interface DevOptions {
  readonly entry: Entry;
  /** Address for HTTP. `undefined` serves over stdio. */
  readonly address: Address | undefined;
  /** True if the user chose the port. Otherwise, the next free one is used. */
  readonly hasPort: boolean;
  readonly envFile: EnvFile;
  /** True for JSON, false for text, `undefined` for text on a terminal only. */
  readonly isJson: boolean | undefined;
  readonly isPolling: boolean;
  readonly countsTokens: boolean;
  /** Development page: none, served, or also opened in the browser. */
  readonly page: "off" | "on" | "open";
}

/** Time in milliseconds for calls in flight after a reload, and when the command is stopped. */
const RELOAD_GRACE_MS = 30_000;
const STOP_GRACE_MS = 5_000;

/** Serves until the command is stopped or, over stdio, until the client disconnects. */
export async function runDev(options: DevOptions, terminal: Terminal): Promise<number> {
  const { address, entry, hasPort, countsTokens } = options;
  const page = options.page === "off" ? undefined : new DevPage({ entry, countsTokens });
  const log = createLog(options, terminal, page);
  let session: Session | undefined;
  const sources = () => session?.reloader.sources ?? { cwd: terminal.cwd, files: new Set<string>() };
  const events = { ...createEvents(log, sources), onServing: () => page?.onServing() };
  const proxy = new DevProxy(events, page?.recorder);
  const env = options.envFile.removeFrom(terminal.env);
  const generations = createGenerations({ proxy, log, measures: page !== undefined }, { ...terminal, env });
  let folder: BundleFolder | undefined;
  // Also called if the command fails, or if a second signal ends it at once.
  const cleanUp = () => {
    generations.kill();
    folder?.remove();
  };
  process.once("exit", cleanUp);
  const { fingerprint: installation } = readInstallation(entry);
  generations.warmUp({ env: options.envFile.read(), installation, packages: undefined });
  const { listener } = page ?? {};
  const { http, page: served } = await serveAll(proxy, { address, canMove: !hasPort, page: listener });
  if (http !== undefined && address !== undefined && address.port !== 0 && http.port !== address.port)
    log.print({
      event: "note",
      text: `Port ${address.port} is in use, so port ${http.port} is used instead.`,
    });
  const stdio = http === undefined ? serveOverStdio(proxy, terminal) : undefined;
  if (served !== undefined) page?.start({ proxy, generations }, served.url);
  const pageUrl = served && page?.urlAt(served.origin);
  folder = new BundleFolder(entry.path, process.pid);
  const urls = { url: http?.url, page: pageUrl };
  session = await startSession({ options, terminal, log, proxy, generations, folder, ...urls });
  void session.reloader.reload(performance.now());
  if (pageUrl !== undefined && options.page === "open") void openPage(pageUrl, log);

  await Promise.race([whenAborted(terminal.signal), stdio?.closed ?? never()]);
  session.stop();
  await page?.close();
  proxy.close();
  await Promise.all([http?.drain(STOP_GRACE_MS), stdio?.close()]);
  await generations.stop(STOP_GRACE_MS);
  const ownPage = served === http ? undefined : served;
  await Promise.all([http?.close(), ownPage?.close(), session.bundler.dispose()]);
  cleanUp();
  process.off("exit", cleanUp);
  return EXIT.ok;
}

/** Opens the page in the browser. */
async function openPage(url: string, log: DevLog): Promise<void> {
  await openBrowser(new URL(url)).catch((error: unknown) =>
    log.print({ event: "note", text: messageOf(error) ?? "Could not open a browser." }),
  );
}

function createLog(
  { address, isJson }: DevOptions,
  { stdout, stderr, env }: Terminal,
  page: DevPage | undefined,
): DevLog {
  // Over stdio, standard output belongs to the protocol.
  const output = address === undefined ? stderr : stdout;
  return new DevLog({
    output,
    isJson: isJson ?? !isTerminal(output),
    hasColors: hasColors(output, env),
    now: Date.now,
    onEvent: page?.onEvent,
  });
}

function createEvents(log: DevLog, sources: () => Sources): ProxyEvents {
  return {
    onCall: (call, reply, ms) => log.print(toCallEvent(call, reply, ms)),
    onFailure: ({ operation, name, error }) =>
      log.print({
        event: "handler-failed",
        name: `${operation} ${name}`,
        problems: fromThrown(error, sources()),
      }),
    onCrash: (error, sequel) =>
      log.print({ event: "crashed", problems: fromThrown(error, sources()), next: SEQUELS[sequel] }),
    onRestartFailed: (error) =>
      log.print({ event: "load-failed", problems: fromThrown(error, sources()), next: WAITING }),
  };
}

/** Explanations of what happens after a crash. */
const SEQUELS: Readonly<Record<CrashSequel, string>> = {
  restart: "Starting the last good version again.",
  limit:
    `It was restarted ${RESTART_LIMIT.count} times in ${RESTART_LIMIT.windowMs / 1_000} seconds, ` +
    "and starts again when a file changes.",
  replaced: "The code had been replaced already. The new version keeps serving.",
};

const WAITING = "Waiting for a file to change.";

interface GenerationParts {
  readonly proxy: DevProxy;
  readonly log: DevLog;
  readonly measures: boolean;
}

function createGenerations({ proxy, log, measures }: GenerationParts, { cwd, env }: Terminal): Generations {
  return new Generations({
    program: join(packageFacts("@tenon/cli", import.meta.url).root, "dist", "main.js"),
    // A debugger can be attached to one process only.
    nodeFlags: process.execArgv.filter((flag) => !flag.startsWith("--inspect")),
    cwd,
    env,
    secret: randomBytes(32).toString("base64url"),
    measures,
    listener: proxy,
    graceMs: RELOAD_GRACE_MS,
    onLine: (stream, text) => log.print({ event: "output", stream, text }),
    whenWritable: () => log.whenWritable(),
  });
}

interface SessionParts {
  readonly options: DevOptions;
  readonly terminal: Terminal;
  readonly log: DevLog;
  readonly proxy: DevProxy;
  readonly generations: Generations;
  readonly folder: BundleFolder;
  readonly url: string | undefined;
  /** URL of the development page. */
  readonly page: string | undefined;
}

interface Session {
  readonly reloader: Reloader;
  readonly bundler: Bundler;
  /** Stops watching and reloading. */
  readonly stop: () => void;
}

/** Creates the parts that build the code and watch its files. */
async function startSession(parts: SessionParts): Promise<Session> {
  const { options, terminal, log, proxy, generations, folder, url, page } = parts;
  const { entry, envFile, isPolling, countsTokens } = options;
  const { cwd } = terminal;
  const bundler = await createBundler({ entry, folder, cwd, nodeVersion: process.versions.node });
  const watcher = createWatcher({
    root: findRoot(entry),
    isPolling,
    onChange: (since) => void reloader.reload(since),
    onFallback: (reason) =>
      log.print({ event: "note", text: `Files are polled, because they cannot be watched: ${reason}` }),
  });
  const reloader = new Reloader({
    entry,
    cwd,
    envFile,
    url,
    page,
    bundler,
    folder,
    generations,
    proxy,
    log,
    costs: new ToolCosts(countsTokens),
    watch: (watched) => watcher.update(watched),
  });
  const stop = () => {
    watcher.close();
    reloader.close();
  };
  return { reloader, bundler, stop };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
