/**
 * @fileoverview A server process that reports its own CPU time and memory.
 * @module bench/lib/server-process
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { HostCommand, HostOptions, HostReply } from "../servers/host-protocol.js";
import { onAllCores, onServerCore } from "./cores.js";
import { BUILD } from "./paths.js";

const START_MS = 60_000;
const ANSWER_MS = 180_000;

/** A server that takes part in a measurement. */
export interface MeasuredServer {
  readonly name: string;
  readonly port: number;
  /** Returns its CPU time so far, user and system, in microseconds. */
  cpuUs(): Promise<number>;
  stop(): Promise<void>;
}

/** A running server. */
export class ServerProcess implements MeasuredServer {
  readonly name: string;
  readonly child: ChildProcess;
  readonly port: number;
  /** CPU time from the end of the imports until it served, in microseconds. */
  readonly buildUs: number;

  private constructor(name: string, child: ChildProcess, ready: HostReply) {
    this.name = name;
    this.child = child;
    this.port = ready.port ?? 0;
    this.buildUs = ready.buildUs ?? 0;
  }

  /**
   * Starts a server.
   *
   * @param build folder of the compiled servers, which can belong to another checkout
   * @throws if the server does not start
   */
  static async start(
    options: HostOptions,
    nodeFlags: readonly string[] = [],
    build: string = BUILD,
  ): Promise<ServerProcess> {
    const pin = options.onAllCores === true ? onAllCores : onServerCore;
    const [program, args] = pin(process.execPath, [
      ...nodeFlags,
      `${build}/servers-host.js`,
      JSON.stringify(options),
    ]);
    const stdout = options.wire === "stdio" ? "pipe" : "ignore";
    const child = spawn(program, args, {
      stdio: ["pipe", stdout, "pipe", "ipc"],
      env: { ...process.env, NODE_ENV: "production" },
    });
    const said: string[] = [];
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (said.length < 20) said.push(text);
    });
    // A broken pipe ends the run through the exit of the process.
    child.stdin?.on("error", () => {});
    const ready = await Promise.race([nextMessage(child, START_MS), exitOf(child)]);
    if (typeof ready === "string") {
      child.kill("SIGKILL");
      throw new Error(`${options.server} did not start. ${ready} ${said.join("").trim().slice(0, 600)}`);
    }
    return new ServerProcess(options.server, child, ready);
  }

  /** Returns its CPU time so far, user and system, in microseconds. */
  async cpuUs(): Promise<number> {
    return (await this.ask({ op: "cpu" })).cpuUs ?? 0;
  }

  /** Sends a command to the process. */
  async ask(command: HostCommand): Promise<HostReply> {
    const reply = nextMessage(this.child, ANSWER_MS);
    this.child.send(command);
    const answered = await reply;
    if (typeof answered === "string") throw new Error(`${this.name} did not respond. ${answered}`);
    return answered;
  }

  /** Stops the process. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }
}

function nextMessage(child: ChildProcess, ms: number): Promise<HostReply | string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => done(`No message arrived within ${ms} ms.`), ms);
    const onMessage = (message: unknown) => done(message as HostReply);
    const onExit = () => done("The process exited.");
    const done = (result: HostReply | string) => {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(result);
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
  });
}

async function exitOf(child: ChildProcess): Promise<string> {
  const [code] = (await once(child, "exit")) as [number | null];
  // The rest of its output arrives after the exit event.
  await new Promise((resolve) => setTimeout(resolve, 50));
  return `The process exited with ${code}.`;
}
