import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { read } from "../../../tests/support/http-faces.js";
import { modernPost } from "../../../tests/support/http-messages.js";
import { fixtures, programFile } from "../../../tests/support/program.js";

/** Device on which every write fails as on a full disk. */
const FULL = "/dev/full";

const SERVER = `
import { defineServer } from "tenon";
export default defineServer({ name: "failing", version: "1.0.0" }).tool("fail", {
  description: "Fails.",
  handler: () => {
    console.error("to standard error");
    process.stderr.write("to standard error");
    console.log("to standard output");
    throw new Error("a bug");
  },
});
`;

const SERVE = `
import { serve } from "tenon/node";
import server from "./failing.mjs";
const { url } = await serve(server, { port: 0 });
process.stdout.write(JSON.stringify({ url }) + "\\n");
`;

const SERVE_STDIO = `
import { serveStdio } from "tenon/stdio";
import server from "./failing.mjs";
await serveStdio(server).closed;
`;

/** Starts a program with one output on a full disk, and the other one on a pipe. */
function start(args: readonly string[], full: "stdout" | "stderr"): ChildProcess {
  const folder = fixtures();
  const files = { "failing.mjs": SERVER, "serve.mjs": SERVE, "serve-stdio.mjs": SERVE_STDIO };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const device = openSync(FULL, "w");
  const stdio = full === "stdout" ? (["pipe", device, "pipe"] as const) : (["pipe", "pipe", device] as const);
  const child = spawn(process.execPath, args, { cwd: folder, stdio: [...stdio] });
  closeSync(device);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Returns the exit code and the text of standard error. */
async function end(child: ChildProcess): Promise<{ readonly code: unknown; readonly stderr: string }> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, stderr };
}

test.runIf(existsSync(FULL)).each([
  ["tenon run", () => [programFile("tenon"), "run", "failing.mjs", "--port", "0", "--json"]],
  ["serve", () => ["serve.mjs"]],
])("%s goes on if standard error is on a full disk", async (_what, argsOf) => {
  const child = start(argsOf(), "stderr");
  const lines = createInterface(child.stdout ?? expect.unreachable())[Symbol.asyncIterator]();
  const { url } = JSON.parse(String((await lines.next()).value)) as { readonly url: string };
  for (let count = 0; count < 5; count++) {
    const response = await fetch(url, modernPost("tools/call", { name: "fail", arguments: {} }));
    expect((await read(response)).body).toMatchObject({
      result: { content: [{ text: "Tool fail failed" }], isError: true },
    });
  }
  child.kill("SIGINT");
  expect((await end(child)).code).toBe(0);
});

test.runIf(existsSync(FULL)).each([
  [
    "a command",
    () => [programFile("tenon"), "list", "failing.mjs"],
    1,
    /^Could not write to standard output: the disk is full\.\n$/,
  ],
  [
    "a server over stdio",
    () => ["serve-stdio.mjs"],
    0,
    /^\S+ \[tenon\] The connection over stdio has ended: the disk is full\.\n$/,
  ],
])("%s states the reason if standard output is on a full disk", async (_what, argsOf, code, expected) => {
  const child = start(argsOf(), "stdout");
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  expect(await end(child)).toEqual({ code, stderr: expect.stringMatching(expected) });
});
