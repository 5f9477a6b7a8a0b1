/**
 * @fileoverview Entry point of a server process: starts the server, and reports its own CPU time and memory over the
 * IPC channel.
 * @module bench/servers/host
 */
import { runLoop } from "./in-process-loop.js";
import type { Adapter, TextServer } from "./contract.js";
import type { HostCommand, HostOptions, HostReply } from "./host-protocol.js";

const options = JSON.parse(process.argv[2] ?? "{}") as HostOptions;

// The files of this build are next to this one. A variable keeps the bundler from resolving them.
const file = `./servers-${options.server}.js`;
const { adapter } = (await import(file)) as { readonly adapter: Adapter };
const startedAt = process.cpuUsage();
let port: number | undefined;
let answer: TextServer | undefined;
if (options.wire === "http") port = await need(adapter.http)(options);
else if (options.wire === "stdio") await need(adapter.stdio)(options);
else answer = await need(adapter.inProcess)(options);
const built = process.cpuUsage(startedAt);

function need<T>(part: T | undefined): T {
  if (part === undefined) throw new Error(`${options.server} does not support ${options.wire}.`);
  return part;
}

function readMemory(): HostReply {
  for (let turn = 0; turn < 4; turn++) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external };
}

async function obey(command: HostCommand): Promise<HostReply> {
  if (command.op === "memory") {
    // Lets pending work of the last requests finish first.
    await new Promise((resolve) => setTimeout(resolve, 100));
    return readMemory();
  }
  if (command.op === "run") return runLoop(need(answer), command);
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system + (adapter.cpuUs?.() ?? 0) };
}

process.on("message", (command: HostCommand) => {
  void obey(command).then((reply) => process.send?.(reply));
});
process.on("disconnect", () => process.exit(0));
process.send?.({ port, buildUs: built.user + built.system } satisfies HostReply);
