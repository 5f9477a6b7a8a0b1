/**
 * @fileoverview Starts the agent server in a process of its own with a small heap, and measures its memory.
 * @module tools/attack/agent/target
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { compileProgram } from "../../compile-program.js";
import { limitedNode } from "../../limited-node.js";
import { ROOT } from "../data/read-data.js";

const SERVER = fileURLToPath(new URL("server.ts", import.meta.url));

/** Memory of the server's process in bytes, and its clients. */
export interface Memory {
  readonly connectionCount: number;
  /** Resident memory after garbage collections. */
  readonly rss: number;
  /** Highest resident memory so far, with garbage. */
  readonly peak: number;
  /** Heap and buffers that are in use. */
  readonly held: number;
}

/** Running agent server. */
export interface AgentTarget {
  readonly url: string;
  measure(): Promise<Memory>;
  stop(): void;
}

/** Starts the server with the conversations in a folder. */
export async function startTarget(storage: string, spareMegabytes?: number): Promise<AgentTarget> {
  const flags = ["--max-old-space-size=256", "--expose-gc", compileProgram(SERVER), storage];
  const [program, args] = limitedNode(flags, spareMegabytes);
  const child = spawn(program, args, { cwd: ROOT });
  child.stdin.on("error", () => undefined);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const lines = createInterface({ input: child.stdout });
  const [url] = (await once(lines, "line")) as [string]; // Safe: the arguments of the event
  return {
    url,
    async measure() {
      child.stdin.write("\n");
      const [line] = (await Promise.race([once(lines, "line"), once(lines, "close")])) as [string?];
      if (line === undefined) throw new Error(`The server ended: ${errors.slice(-500)}`);
      return JSON.parse(line) as Memory; // Safe: the server printed it
    },
    stop: () => void child.kill("SIGKILL"),
  };
}
