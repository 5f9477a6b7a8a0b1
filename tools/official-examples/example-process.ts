/**
 * @fileoverview Runs an official example as a process, on free ports.
 * @module tools/official-examples/example-process
 */
import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { findFreePort, stopServer } from "../server-process.js";

/** An example to run. */
export interface Example {
  /** Absolute path to the module. */
  readonly file: string;
  /** Options for Node.js, such as a loader for TypeScript. */
  readonly nodeFlags?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** True if the example also starts an authorization server. */
  readonly hasAuthServer?: boolean;
  /** True if the example takes all of its ports from the environment or its arguments. */
  readonly takesPorts?: boolean;
}

/** A running HTTP example. */
export interface RunningExample {
  /** Origin of the example, without a trailing slash. */
  readonly origin: string;
  /** Origin of its authorization server. */
  readonly authOrigin: string;
  /** Output so far, for error messages. */
  output(): string;
  stop(): Promise<void>;
}

/** Command that starts an example over stdio, for the official client's transport. */
export interface StdioCommand {
  readonly command: string;
  readonly args: string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly stderr: "pipe";
}

/** Starts an HTTP example and waits until it listens. @throws with its output if it does not */
export async function startExample(example: Example): Promise<RunningExample> {
  for (let attempt = 1; ; attempt++) {
    const started = await tryStart(example);
    if (typeof started !== "string") return started;
    // Another process may have taken a free port in the meantime.
    if (attempt === MAX_ATTEMPTS || !started.includes("EADDRINUSE"))
      throw new Error(`${example.file} did not start: ${started}`);
  }
}

/** Returns the command that starts a stdio example. */
export function stdioCommand(example: Example): StdioCommand {
  return {
    command: process.execPath,
    args: argumentsOf(example),
    // A loader for TypeScript reads the settings of the folder it runs in.
    cwd: dirname(example.file),
    env: { ...baseEnvironment(), EXAMPLE_PORTS: "" },
    stderr: "pipe",
  };
}

const PRELOAD = new URL("preload.mjs", import.meta.url).href;
const MAX_ATTEMPTS = 3;
const START_MS = 60_000;
const MAX_OUTPUT = 4_000;

/** Starts an example. Resolves to its output if it exits or does not listen in time. */
async function tryStart(example: Example): Promise<RunningExample | string> {
  const [port, authPort] = [await findFreePort(), await findFreePort()];
  const env = {
    ...baseEnvironment(),
    ...(example.takesPorts === true ? {} : { EXAMPLE_PORTS: `${port},${authPort}` }),
    PORT: String(port),
    MCP_PORT: String(port),
    MCP_AUTH_PORT: String(authPort),
    ...example.env,
  };
  const child = spawn(process.execPath, argumentsOf(example), {
    cwd: dirname(example.file),
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  const collect = (chunk: unknown) => void (output = (output + String(chunk)).slice(-MAX_OUTPUT));
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const needed = new Set(example.hasAuthServer === true ? [port, authPort] : [port]);
  if (!(await listensOn(child, needed))) {
    await stopServer(child);
    return output.trim();
  }
  return {
    // The examples reject other host names than these two, and put `localhost` into their own URLs.
    origin: `http://localhost:${port}`,
    authOrigin: `http://localhost:${authPort}`,
    output: () => output,
    stop: () => stopServer(child),
  };
}

function argumentsOf({ nodeFlags = [], file, args = [] }: Example): string[] {
  return [...nodeFlags, "--import", PRELOAD, file, ...args];
}

/** Returns the environment of every example. Without the settings of the loader that runs this script. */
export function baseEnvironment(): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME };
}

/** Resolves to true once the process listens on every port, and to false if it exits first or takes too long. */
function listensOn(child: ChildProcess, ports: Set<number>): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), START_MS);
    child.once("exit", () => {
      clearTimeout(late);
      resolve(false);
    });
    child.on("message", (message: { readonly listening?: number }) => {
      ports.delete(message.listening ?? 0);
      if (ports.size > 0) return;
      clearTimeout(late);
      resolve(true);
    });
  });
}
