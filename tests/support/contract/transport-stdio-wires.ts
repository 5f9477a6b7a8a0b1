/**
 * @fileoverview stdio transports for the contract client: pipes to a child process, and streams in this process.
 * @module tests/support/contract/transport-stdio-wires
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@tenon/internal/json";
import { serveStdio } from "../../../packages/tenon/src/transport/stdio/serve-stdio.js";
import { compileProgram } from "../../../tools/compile-program.js";
import { onLines } from "../lines.js";
import { ROOT } from "../../../tools/source-files.js";
import type { OpenWire, Wire } from "./transport-client.js";
import { createContractServer } from "./transport-server.js";

const FIXTURE = fileURLToPath(new URL("./transport-fixture.ts", import.meta.url));

/** Runs `serve` in a child process and connects to its pipes. */
export const openChild: OpenWire = async (_revision, take) => {
  const child = spawn(process.execPath, [compileProgram(FIXTURE)], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  return linesOn(child.stdout, child.stdin, take, async () => {
    child.stdin.end();
    const patience = setTimeout(() => child.kill("SIGKILL"), EXIT_MS);
    const [code] = await exit;
    clearTimeout(patience);
    if (code !== 0) throw new Error(`The server exited with code ${String(code)}.`);
  });
};

/** Opens two in-memory streams. Their data is split into small chunks at arbitrary bytes. */
export const openStreams: OpenWire = async (_revision, take) => {
  const toServer = new PassThrough();
  const toClient = new PassThrough();
  const wire = serveStdio(createContractServer(), { input: toServer, output: toClient });
  return linesOn(toClient, toServer, take, async () => {
    toServer.end();
    await wire.closed;
    toClient.destroy();
  });
};

/** Maximum time in milliseconds for a server to exit after its input has ended. */
const EXIT_MS = 30_000;

/** Chunk size in bytes, small enough to split most messages and multi-byte characters. */
const PIECE = 61;

function linesOn(
  input: Readable,
  output: Writable,
  take: (message: JsonObject) => void,
  close: () => Promise<void>,
): Wire {
  onLines(input, (line) => take(JSON.parse(line) as JsonObject));
  return {
    cancelsByLeaving: false,
    async send(message) {
      const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
      for (let at = 0; at < bytes.length; at += PIECE) output.write(bytes.subarray(at, at + PIECE));
    },
    close,
  };
}
