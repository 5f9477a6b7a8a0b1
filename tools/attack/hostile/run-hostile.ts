/**
 * @fileoverview Starts a hostile server and a client with a small heap, and measures the client's memory and requests.
 * @module tools/attack/hostile/run-hostile
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../../compile-program.js";
import { limitedNode } from "../../limited-node.js";
import { ROOT } from "../../source-files.js";

/** Attack on one client. */
export interface HostileRun {
  /** Name of the server's behavior. */
  readonly behavior: string;
  readonly mode: "http" | "stdio";
  /** Action of the client, or a command of `tenon`. */
  readonly action: string;
  readonly heapMegabytes: number;
  /** Address space of the client besides that of an idle Node process. @default unlimited */
  readonly spareMegabytes?: number;
}

/** Outcome of an attack. */
export interface HostileOutcome {
  /** Text that the client prints at its end. Empty if it printed nothing. */
  readonly message: string;
  readonly exitCode: number | string | null;
  readonly peakMegabytes: number;
  /** Number of HTTP requests that the server received. */
  readonly requests: number;
  readonly ms: number;
}

/** Time limit for one attack in milliseconds. */
const MAX_MS = 60_000;
/** Time in milliseconds for which `tenon inspect` is attacked, and for a request to its page afterwards. */
const INSPECT_MS = 15_000;
const PAGE_MS = 30_000;
const SAMPLE_MS = 50;

/** Runs an attack. */
export async function runHostile(run: HostileRun): Promise<HostileOutcome> {
  const program = compileProgram(fileURLToPath(new URL("server.ts", import.meta.url)), "built");
  const server = [process.execPath, program, run.mode, run.behavior];
  if (run.mode === "stdio") return attackClient(run, server);
  const [node = "", ...args] = server;
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const lines = createInterface({ input: child.stdout });
    const [url] = (await once(lines, "line")) as [string];
    let requests = 0;
    lines.on("line", (line) => (requests = Number(line)));
    return { ...(await attackClient(run, [url])), requests };
  } finally {
    child.kill("SIGKILL");
  }
}

/** Returns the program and the arguments of the client. */
function clientOf({ action, heapMegabytes }: HostileRun, server: readonly string[]): readonly string[] {
  const flags = [`--max-old-space-size=${heapMegabytes}`];
  const [command, ...options] = action.split(" ");
  if (command !== "tenon") {
    const client = compileProgram(fileURLToPath(new URL("client.ts", import.meta.url)), "built");
    return [...flags, client, action, ...server];
  }
  const isUrl = server.length === 1;
  const target = isUrl ? server : ["--", ...server];
  return [...flags, `${ROOT}/packages/cli/dist/main.js`, ...options, ...target];
}

async function attackClient(run: HostileRun, server: readonly string[]): Promise<HostileOutcome> {
  const startedAt = performance.now();
  const [node, args] = limitedNode(clientOf(run, server), run.spareMegabytes);
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe"] });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Uint8Array) => {
      output.text = (output.text + new TextDecoder().decode(chunk)).slice(-MAX_OUTPUT);
    });
  const stop = new AbortController();
  const closed = once(child, "close");
  const timer = setTimeout(() => child.kill("SIGKILL"), MAX_MS);
  const measured = measure(child, stop.signal);
  if (run.action.includes("inspect")) {
    const page = await visitPage(child, output);
    output.text += `\n${page}\n`;
    child.kill("SIGTERM");
  }
  const [code, signal] = (await closed) as [number | null, string | null];
  clearTimeout(timer);
  stop.abort();
  const peakMegabytes = await measured;
  // The server reports its number of requests twice a second.
  if (run.mode === "http") await sleep(600);
  const ms = performance.now() - startedAt;
  return { message: output.text, exitCode: signal ?? code, peakMegabytes, requests: 0, ms };
}

const MAX_OUTPUT = 4_000;

/** Requests the page of `tenon inspect` after the attack has lasted for a while. Returns a sentence about the response. */
async function visitPage(child: ChildProcess, output: { readonly text: string }): Promise<string> {
  let url: string | undefined;
  while (url === undefined && child.exitCode === null) {
    await sleep(SAMPLE_MS);
    [url] = /http:\/\/127\.0\.0\.1\S+/.exec(output.text) ?? [];
  }
  if (url === undefined) return "The page has not started.";
  await sleep(INSPECT_MS);
  try {
    const signal = AbortSignal.timeout(PAGE_MS);
    // The token in the URL is exchanged for a cookie.
    const { headers } = await fetch(url, { signal, redirect: "manual" });
    const cookie = headers.getSetCookie().map((one) => one.split(";")[0]);
    const page = new URL(headers.get("location") ?? "", url);
    const { status } = await fetch(page, { signal, headers: { cookie: cookie.join("; ") } });
    return `The page responded with HTTP ${status}.`;
  } catch (error) {
    return `The page did not respond: ${String(error)}.`;
  }
}

/** Returns the highest resident memory of a process in megabytes. */
async function measure({ pid }: ChildProcess, signal: AbortSignal): Promise<number> {
  let peak = 0;
  while (!signal.aborted) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    await sleep(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
  }
  return Math.round(peak);
}
