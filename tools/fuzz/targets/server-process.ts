/**
 * @fileoverview Bundles the server program once, and starts it.
 * @module tools/fuzz/targets/server-process
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { stopServer } from "../../server-process.js";
import { withTimeout } from "./line-client.js";

/** Time in milliseconds that the server has to start. */
const START_MS = 120_000;

/** Time in milliseconds that a crashing server has to exit. */
const EXIT_MS = 500;

/** Program of the server, as one file. Compiling it in every process would take a second each time. */
export class ServerProgram {
  readonly path: string;
  readonly #folder: string;
  #started = 0;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), "tenon-fuzz-"));
    this.path = join(this.#folder, "server.mjs");
    const entry = fileURLToPath(new URL("../server.ts", import.meta.url));
    // The packages that are not modules call `require`.
    const banner = {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    };
    buildSync({
      entryPoints: [entry],
      outfile: this.path,
      bundle: true,
      platform: "node",
      format: "esm",
      banner,
    });
  }

  /** Starts the program. @param mode `http` or `websocket` */
  async start(mode: "http" | "websocket"): Promise<ServerProcess> {
    const folder = join(this.#folder, `storage-${++this.#started}`);
    const server = new ServerProcess(() =>
      spawn(process.execPath, [this.path, mode, folder], { stdio: ["pipe", "pipe", "ignore"] }),
    );
    await server.revive();
    return server;
  }

  /** Removes the program's files. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Server process that listens on a port. */
export class ServerProcess {
  readonly #spawn: () => ChildProcessByStdio<Writable, Readable, null>;
  #child: ChildProcessByStdio<Writable, Readable, null> | undefined;
  #port = 0;

  constructor(spawnServer: () => ChildProcessByStdio<Writable, Readable, null>) {
    this.#spawn = spawnServer;
  }

  /** Port of the server. */
  get port(): number {
    return this.#port;
  }

  /** Describes how the process ended, if it has. */
  get death(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#child ?? {};
    return exitCode === null && signalCode === null
      ? undefined
      : `The server process exited (${signalCode ?? `code ${exitCode}`}).`;
  }

  /** Returns `death`, after a moment in which a process whose connections broke can exit. */
  async deathAfterFailure(): Promise<string | undefined> {
    const end = performance.now() + EXIT_MS;
    while (this.death === undefined && performance.now() < end) await sleep(20);
    return this.death;
  }

  /** Starts the process, unless it runs. */
  async revive(): Promise<void> {
    if (this.#child !== undefined && this.death === undefined) return;
    const child = this.#spawn();
    this.#child = child;
    const [url] = (await withTimeout(once(createInterface({ input: child.stdout }), "line"), START_MS)) as [
      string,
    ];
    this.#port = Number(new URL(url).port);
  }

  /** Stops the process. */
  async stop(): Promise<void> {
    if (this.#child !== undefined) await stopServer(this.#child);
  }
}
