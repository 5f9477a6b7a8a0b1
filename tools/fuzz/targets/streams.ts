/**
 * @fileoverview Sends frames over stdio: to `serveStdio` on streams in this process, and to a server process.
 * @module tools/fuzz/targets/streams
 */
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { serveStdio } from "tenon/stdio";
import type { Problem, Target } from "../block.js";
import { createFuzzServer, type Handlers } from "../fuzz-server.js";
import { type LineWire, type OpenLines, runLines, withTimeout } from "./line-client.js";

/** Time in milliseconds within which a server must end after its input. */
const END_MS = 120_000;

/** Creates a target that serves each block with `serveStdio` on streams in this process. */
export function createStreamsTarget(name: string, handlers: Handlers = "all"): Target {
  const server = createFuzzServer(handlers);
  const open: OpenLines = (onLine) => {
    const input = new PassThrough();
    const output = new PassThrough();
    const errors: unknown[] = [];
    let death: string | undefined;
    const transport = serveStdio(server, { input, output, onError: (error) => errors.push(error) });
    output.on("data", toLines(onLine));
    return {
      write(chunk) {
        try {
          input.write(chunk);
        } catch (error) {
          death ??= `The transport threw: ${String(error)}`;
        }
      },
      async end(): Promise<Problem | undefined> {
        input.end();
        const closed = await withTimeout(transport.closed, END_MS).catch((error: unknown) => String(error));
        if (closed !== undefined) return { promise: "hang", text: `The transport did not close. ${closed}` };
        return errors.length === 0
          ? undefined
          : { promise: "crash", text: `The stream failed: ${String(errors[0])}` };
      },
      get death() {
        return death;
      },
    };
  };
  return {
    name,
    run: (block, chunking) => runLines(open, block, chunking),
    close: () => Promise.resolve(),
  };
}

/** Creates a target that starts a server process for each block. @param program the bundled server */
export function createProcessTarget(program: string): Target {
  return {
    name: "stdio-process",
    run: (block, chunking) => runLines((onLine) => openProcess(program, onLine), block, chunking),
    close: () => Promise.resolve(),
  };
}

function openProcess(program: string, onLine: (line: string) => void): LineWire {
  const child = spawn(process.execPath, [program, "stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  const { stdin, stdout } = child;
  const exited = new Promise<string | undefined>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? undefined : `The server process exited (${signal ?? `code ${code}`}).`),
    );
  });
  let death: string | undefined;
  let isEnding = false;
  void exited.then((text) => {
    if (!isEnding) death = text ?? "The server process exited before its input ended.";
  });
  stdin.on("error", () => undefined); // the exit event reports a process that ended
  stdout.on("data", toLines(onLine));
  return {
    async write(chunk) {
      if (!stdin.write(chunk) && death === undefined)
        await Promise.race([once(stdin, "drain").catch(() => undefined), exited]);
    },
    async end() {
      isEnding = true;
      stdin.end();
      try {
        const text = await withTimeout(exited, END_MS);
        return text === undefined ? undefined : { promise: "crash", text };
      } catch {
        child.kill("SIGKILL");
        return {
          promise: "hang",
          text: `The server process did not exit within ${END_MS} ms after its input.`,
        };
      }
    },
    get death() {
      return death;
    },
  };
}

/** Returns a listener that passes whole lines on. */
function toLines(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const parts = (rest + decoder.write(Buffer.from(chunk))).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) onLine(line);
  };
}
