/**
 * @fileoverview Transport to a program, with one message per line on its standard input and output.
 * @module cli/client/stdio-transport
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { isJsonObject } from "@tenon/internal/json";
import { parseFrame } from "tenon/protocol";
import { FrameSplitter } from "tenon/host";
import { CLIENT_LIMITS, type Transport, TransportError, type TransportEvents } from "./transport.js";

/** Program to start. */
export interface Program {
  /** Name or path of the program, and its arguments. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives the program's standard error output. If omitted, its last part is added to the error when the program fails. */
  readonly onStderr?: (chunk: Uint8Array) => void;
}

/** Starts a program and opens a transport to it. @throws {TransportError} if the program cannot be started */
export function openStdioTransport(program: Program, events: TransportEvents): Promise<Transport> {
  const [command = "", ...args] = program.words;
  // On Windows, npm installs programs as scripts, which only the shell can start.
  const child = spawn(command, args, {
    cwd: program.cwd,
    env: { ...program.env },
    shell: process.platform === "win32",
    stdio: "pipe",
  });
  const errorOutput = keepTail(child, program.onStderr);
  const frames = new FrameSplitter(CLIENT_LIMITS.maxBytes);
  child.stdout.on("data", (chunk: Uint8Array) => {
    frames.push(chunk);
    for (let frame = frames.next(); frame !== undefined; frame = frames.next()) {
      const parsed = parseFrame(frame, CLIENT_LIMITS);
      // Many programs print a banner, so lines that are not messages are ignored.
      if (parsed.ok && isJsonObject(parsed.value)) events.onMessage(parsed.value);
    }
  });
  // Writing to a program that has exited fails. The `close` event reports the exit.
  child.stdin.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.once("close", (code, signal) => {
    const end = signal === null ? `exited with code ${code}` : `was terminated by ${signal}`;
    events.onEnd(new TransportError(`The program ${end}.${errorOutput()}`));
  });
  const transport: Transport = {
    isHttp: false,
    async send(message) {
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    close: () => endProgram(child, ended),
  };
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(transport));
    child.once("error", ({ code }: NodeJS.ErrnoException) => {
      const why =
        code === "ENOENT" ? "program not found. Check the name and your PATH" : (code ?? "unknown reason");
      reject(new TransportError(`Could not start "${command}": ${why}.`));
    });
  });
}

/** Time limit for each shutdown step, in milliseconds. */
const STEP_MS = 1_000;

/** Shuts down a program in the order that the MCP specification requires: close its input, SIGTERM, SIGKILL. */
async function endProgram(child: ChildProcessWithoutNullStreams, ended: Promise<void>): Promise<void> {
  child.stdin.end();
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const isOver = await Promise.race([ended.then(() => true), setTimeout(STEP_MS, false, { ref: false })]);
    if (isOver) return;
    child.kill(signal);
  }
  await Promise.race([ended, setTimeout(STEP_MS, undefined, { ref: false })]);
}

const MAX_TAIL = 2_000;

function keepTail(child: ChildProcessWithoutNullStreams, show: Program["onStderr"]): () => string {
  let tail = "";
  child.stderr.on("data", (chunk: Uint8Array) => {
    if (show === undefined) tail = (tail + new TextDecoder().decode(chunk)).slice(-MAX_TAIL);
    else show(chunk);
  });
  return () => (tail.trim() === "" ? "" : ` Standard error output:\n${tail.trim()}`);
}
