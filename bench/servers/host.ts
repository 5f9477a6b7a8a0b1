/**
 * @fileoverview Entry point of a server process: starts the server, and reports its own CPU time and memory over the
 * IPC channel.
 * @module bench/servers/host
 */
import { runObjects, runTexts } from "./in-process-loop.js";
import { listenBehind } from "./bridges.js";
import type { Adapter, ObjectServer, TextServer } from "./contract.js";
import type { HostCommand, HostOptions, HostReply, RunCommand } from "./host-protocol.js";
import { readMemory, readPeak, watchHeap } from "./memory-watch.js";

const options = JSON.parse(process.argv[2] ?? "{}") as HostOptions;

// The files of this build are next to this one. A variable keeps the bundler from resolving them.
const family = options.family === undefined ? "" : `${options.family}-`;
const file = `./servers-${family}${options.server}.js`;
const { adapter } = (await import(file)) as { readonly adapter: Adapter };
const startedAt = process.cpuUsage();
let port: number | undefined;
let answer: TextServer | undefined;
let answerObject: ObjectServer | undefined;
if (options.wire === "http") port = await need(adapter.http)(options);
else if (options.wire === "fetch") port = await listenAsFetch();
else if (options.wire === "stdio") await need(adapter.stdio)(options);
else if (options.wire === "objects") answerObject = await need(adapter.objects)(options);
else answer = await need(adapter.inProcess)(options);
const built = process.cpuUsage(startedAt);

function need<T>(part: T | undefined): T {
  if (part === undefined) throw new Error(`${options.server} does not support ${options.wire}.`);
  return part;
}

function listenAsFetch(): Promise<number> {
  return adapter.fetch === undefined
    ? need(adapter.http)(options)
    : listenBehind(need(options.bridge), adapter.fetch(options));
}

function run(command: RunCommand): Promise<HostReply> {
  return answerObject === undefined
    ? runTexts(need(answer), command)
    : runObjects(need(answerObject), command);
}

async function obey(command: HostCommand): Promise<HostReply> {
  switch (command.op) {
    case "run":
      return run(command);
    case "memory":
      // Lets pending work of the last requests finish first.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return readMemory();
    case "watch":
      watchHeap();
      return {};
    case "peak":
      return readPeak();
    case "publish":
      need(adapter.publish)();
      return {};
    case "cpu": {
      const { user, system } = process.cpuUsage();
      return { cpuUs: user + system + (adapter.cpuUs?.() ?? 0) };
    }
  }
}

process.on("message", (command: HostCommand) => {
  void obey(command).then((reply) => process.send?.(reply));
});
process.on("disconnect", () => process.exit(0));
process.send?.({ port, buildUs: built.user + built.system } satisfies HostReply);
