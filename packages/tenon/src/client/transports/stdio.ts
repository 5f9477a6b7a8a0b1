/**
 * @fileoverview Client transport to a program, with one message per line on its standard input and output.
 * @module tenon/client/transports/stdio
 */
import type * as childProcess from "node:child_process";
import { stripControls } from "@tenon/internal/text";
import { systemPorts } from "@tenon/internal/ports";
import { decodeUtf8 } from "@tenon/internal/utf8";
import { FrameSplitter } from "../../transport/stdio/frames.js";
import { ConnectionError } from "../errors.js";
import { limitError } from "../limits.js";
import {
  type ClientTransport,
  messageLimits,
  type OpenTransport,
  parseMessage,
  type TransportEvents,
} from "./transport.js";
import { type Trace, traceMessage } from "./trace.js";

/** Program that serves over stdio. */
export interface ServerProgram {
  /** Name or path of the program. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Working folder. @default the folder of this process */
  readonly cwd?: string;
  /** Environment variables. They replace those of this process. @default the variables of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Receives the program's standard error output. If omitted, its last part is added to the error when the program
   * fails.
   */
  readonly onStderr?: (chunk: Uint8Array) => void;
}

/** Creates a function that starts a program and connects to it. */
export function toProgram(program: ServerProgram, trace: Trace | undefined): OpenTransport {
  return (events) => startProgram(program, events, trace);
}

type Child = childProcess.ChildProcessWithoutNullStreams;

/** @throws {ConnectionError} if the program cannot be started */
function startProgram(
  program: ServerProgram,
  events: TransportEvents,
  trace: Trace | undefined,
): Promise<ClientTransport> {
  const { command, args = [], cwd, env } = program;
  const { spawn, platform } = loadRuntime();
  const child = spawn(command, [...args], {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    // On Windows, npm installs programs as scripts, which only the shell can start.
    shell: platform === "win32",
    stdio: "pipe",
  });
  const errorOutput = keepTail(child, program.onStderr);
  // An end is reported once: a later one would end the connection to the program that was started again.
  let end = (reason: Error) => {
    end = () => {};
    events.onEnd(reason);
  };
  readLines(child, { events, trace, onExcess: (reason) => end(reason) });
  // Writing to a program that has exited fails. The `close` event reports the exit.
  child.stdin.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("close", (code, signal) => {
    const what = signal === null ? `exited with code ${code}` : `was terminated by ${signal}`;
    end(new ConnectionError(`The program ${what}.${errorOutput()}`, "closed"));
  });
  const transport: ClientTransport = {
    isHttp: false,
    async send(message, { signal }) {
      const { maxConnectionBytes } = events.limits;
      if (child.stdin.writableLength > maxConnectionBytes)
        throw limitError("The program does not read its input", "maxConnectionBytes", maxConnectionBytes);
      const text = JSON.stringify(message);
      traceMessage(trace, "sent", text);
      await write(child, `${text}\n`, signal);
    },
    close: () => endProgram(child, ended),
  };
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(transport));
    child.once("error", ({ code }: NodeJS.ErrnoException) => {
      const why =
        code === "ENOENT" ? "program not found. Check the name and your PATH" : (code ?? "unknown reason");
      reject(new ConnectionError(`Could not start "${command}": ${why}.`, "program"));
    });
  });
}

/** Part of Node.js that starts programs. */
interface Runtime {
  readonly spawn: typeof childProcess.spawn;
  readonly platform: string;
}

/**
 * Loads `spawn` without an import, so that bundlers for browsers and Workers accept this module.
 *
 * @throws {ConnectionError} on runtimes without it
 */
function loadRuntime(): Runtime {
  const { process } = globalThis as { readonly process?: Partial<NodeJS.Process> };
  const spawn = process?.getBuiltinModule?.("node:child_process")?.spawn;
  if (spawn !== undefined) return { spawn, platform: process?.platform ?? "" };
  throw new ConnectionError("This runtime cannot start programs. Use a server over HTTP instead.", "program");
}

/** Writes text. Resolves when the program has read enough of it, when it has exited, or when the signal aborts. */
function write({ stdin }: Child, text: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      signal?.removeEventListener("abort", end);
      resolve();
    };
    // The callback runs after the text has been passed on, and also if the pipe is closed.
    if (stdin.write(text, end) || signal?.aborted === true) end();
    else signal?.addEventListener("abort", end);
  });
}

/** Reader of a program's output. */
interface LineReader {
  readonly events: TransportEvents;
  readonly trace: Trace | undefined;
  /** Called if a line takes too much memory. The program has been stopped. */
  readonly onExcess: (reason: Error) => void;
}

/** Reads messages. Stops reading while the client cannot answer more requests. */
function readLines(child: Child, { events, trace, onExcess }: LineReader): void {
  const { stdout } = child;
  const limits = messageLimits(events.limits);
  let frames = new FrameSplitter(limits.maxBytes);
  const stop = (reason: Error) => {
    // The child process may be kept longer than its output.
    frames = new FrameSplitter(limits.maxBytes);
    stdout.destroy();
    child.kill("SIGKILL");
    onExcess(reason);
  };
  const share = events.memory.open(stop);
  let isWaiting = false;
  const readAll = () => {
    for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
      const parsed = parseMessage(frame, limits);
      // Many programs print a banner, so lines that are not messages are ignored.
      if (parsed.kind === "refused") events.onRefused(parsed.reason, idOf(frame));
      if (parsed.kind !== "message") continue;
      if (trace !== undefined) traceMessage(trace, "received", textOf(frame));
      const room = events.onMessage(parsed.message);
      if (room === undefined) continue;
      isWaiting = true;
      stdout.pause();
      void room.then(() => {
        isWaiting = false;
        readAll();
        if (!isWaiting) stdout.resume();
      });
      return;
    }
    try {
      share.resize(stdout.destroyed ? 0 : frames.heldBytes);
    } catch (error) {
      stop(error as Error); // Safe: `resize` throws a ConnectionError
    }
  };
  stdout.on("data", (chunk: Uint8Array) => {
    frames.push(chunk);
    if (!isWaiting) readAll();
  });
  stdout.once("close", () => share.close());
}

/** Finds the ID of a response at its start. It is missing if the message was cut before it. */
function idOf(frame: string | Uint8Array): number | undefined {
  const [, digits] = /^\{(?:"jsonrpc":"2.0",)?"id":(\d{1,15}),/.exec(textOf(frame.slice(0, 100))) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function textOf(frame: string | Uint8Array): string {
  return typeof frame === "string" ? frame : (decodeUtf8(frame) ?? "");
}

/** Time limit for each shutdown step, in milliseconds. */
const STEP_MS = 1_000;

/** Shuts down a program in the order that the MCP specification requires: close its input, SIGTERM, SIGKILL. */
async function endProgram(child: Child, ended: Promise<void>): Promise<void> {
  child.stdin.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (await isOver(ended)) return;
    child.kill(signal);
  }
  await isOver(ended);
}

/** Resolves to true when the program has ended, and to false after the time limit. */
function isOver(ended: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const stopTimer = systemPorts.startTimer(() => resolve(false), STEP_MS);
    void ended.then(() => {
      stopTimer();
      resolve(true);
    });
  });
}

/** Maximum length of the error output in an error message, in characters. */
const MAX_TAIL = 2_000;

/** Keeps the last part of the program's error output, unless `show` receives it. Returns a function that reads it. */
function keepTail(child: Child, show: ServerProgram["onStderr"]): () => string {
  const decoder = new TextDecoder();
  let tail = "";
  child.stderr.on("data", (chunk: Uint8Array) => {
    if (show === undefined) tail = (tail + decoder.decode(chunk, { stream: true })).slice(-MAX_TAIL);
    else show(chunk);
  });
  return () => {
    const text = stripControls(tail).trim();
    return text === "" ? "" : ` Standard error output:\n${text}`;
  };
}
