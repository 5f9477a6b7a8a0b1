/**
 * @fileoverview Starts a real Redis on loopback for tests, benchmarks, and examples: in its own folder, on its own port.
 * As root, installs Debian's package if it is missing.
 * @module tools/redis-server
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram, type FoundProgram, INSTALL_MS } from "./debian-program.js";
import { findFreePort, stopServer } from "./server-process.js";

/** Time limit for the installation in milliseconds. Hooks that may trigger it require a longer timeout. */
export const REDIS_INSTALL_MS = INSTALL_MS;

const HOST = "127.0.0.1";
const START_MS = 30_000;
const FOLDERS = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const PROGRAMS = ["redis-server", "valkey-server"];
const PLACES = FOLDERS.flatMap((folder) => PROGRAMS.map((program) => join(folder, program)));

/** Options for `startRedis`. */
export interface RedisServerOptions {
  /** @default a free port */
  readonly port?: number;
  /**
   * Writes every change to a file, so that the data survives `kill` and `restart`.
   * @default true
   */
  readonly appendOnly?: boolean;
  /**
   * Time at which changes are flushed to the disk. With `no`, they are in the file before the response, so they survive
   * the end of the process. With `everysec`, they are not if the disk is slow.
   * @default no
   */
  readonly appendFsync?: "always" | "everysec" | "no";
  /** @default noeviction */
  readonly maxMemoryPolicy?: string;
  /** Password of the default user. `url` contains it. */
  readonly password?: string;
  /** Additional arguments, such as `["--tls-port", "7000"]`. */
  readonly args?: readonly string[];
}

/** Running Redis server. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  /** Address for clients, with the password. */
  readonly url: string;
  /** Folder of its data. Deleted by `stop`. */
  readonly folder: string;
  /** Process ID, or `undefined` while it is not running. */
  readonly pid: number | undefined;
  /** Ends the process without a chance to clean up. `restart` starts it again. */
  kill(): Promise<void>;
  /** Shuts the server down, if it is running, and starts it on the same port with the same data. */
  restart(): Promise<void>;
  /** Freezes the process. Connections stay open, but nothing is answered. */
  pause(): void;
  /** Ends `pause`. */
  resume(): void;
  /** Ends the process and deletes its data. */
  stop(): Promise<void>;
}

/** Finds the Redis server program. As root, installs it if it is missing. */
export function findRedis(): Promise<FoundProgram> {
  return findProgram({ package: "redis-server", places: PLACES });
}

/**
 * Starts a server and waits until it responds. It ends with this process at the latest.
 * @throws if Redis is missing and cannot be installed; call `findRedis` first to skip tests instead
 */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const found = await findRedis();
  if (found.path === undefined) throw new Error(found.reason);
  const program = found.path;
  const port = options.port ?? (await findFreePort(HOST));
  const folder = mkdtempSync(join(tmpdir(), "tenon-redis-"));
  const start = () => launch(program, toArguments(options, { port, folder }), { port, folder });
  let child = await start();

  const end = async () => {
    if (hasExited(child)) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };

  return {
    host: HOST,
    port,
    url: `redis://${options.password === undefined ? "" : `:${encodeURIComponent(options.password)}@`}${HOST}:${port}`,
    folder,
    get pid() {
      return hasExited(child) ? undefined : child.pid;
    },
    kill: end,
    async restart() {
      child.kill("SIGCONT");
      await stopServer(child);
      child = await start();
    },
    pause() {
      child.kill("SIGSTOP");
    },
    resume() {
      child.kill("SIGCONT");
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function toArguments(options: RedisServerOptions, { port, folder }: Place): readonly string[] {
  const settings: Readonly<Record<string, string>> = {
    bind: HOST,
    port: String(port),
    dir: folder,
    save: "",
    appendonly: options.appendOnly === false ? "no" : "yes",
    appendfsync: options.appendFsync ?? "no",
    "maxmemory-policy": options.maxMemoryPolicy ?? "noeviction",
    ...(options.password === undefined ? {} : { requirepass: options.password }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return [...args, ...(options.args ?? [])];
}

async function launch(program: string, args: readonly string[], place: Place): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  guard(child, place.folder);
  const log = { text: "", isListening: false };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log.text = (log.text + text).slice(-2000);
      log.isListening ||= log.text.includes("Ready to accept connections");
    });
  }
  const deadline = Date.now() + START_MS;
  // A different server on the same port would respond too.
  while (!log.isListening || !(await responds(place.port))) {
    if (hasExited(child) || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`Redis did not start on port ${place.port}: ${log.text.trim()}`);
    }
    await sleep(20);
  }
  return child;
}

interface Place {
  readonly port: number;
  readonly folder: string;
}

/**
 * Ends a server and deletes its folder if this process ends first, even if it was killed: the pipe to the guard is then
 * closed.
 */
function guard(server: ChildProcess, folder: string): void {
  const script = 'cat >/dev/null; kill -9 "$0"; rm -rf "$1"';
  const watcher = spawn("sh", ["-c", script, String(server.pid), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.unref();
  // Safe: a pipe to a child process is a socket.
  (watcher.stdin as Socket).unref();
  server.once("exit", () => watcher.kill("SIGKILL"));
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Returns true if the server has loaded its data. A server with a password rejects the command, which is enough. */
function responds(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.write("PING\r\n"));
    const finish = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(1000, () => finish(false));
    socket.once("error", () => finish(false));
    socket.once("close", () => finish(false));
    socket.once("data", (reply: Buffer) => finish(/^(\+PONG|-NOAUTH)/.test(reply.toString())));
  });
}
