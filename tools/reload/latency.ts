/**
 * @fileoverview Measures the time from saving a file to the arrival of `list_changed` at a client.
 * @module tools/reload/latency
 */
import { setTimeout as sleep } from "node:timers/promises";
import { connectStdio, openSession, type ServerMessage, type ToolClient } from "./clients.js";
import { DevProgram } from "./dev-program.js";
import { Project } from "./project.js";
import { FILE, sourceOf, type TransportName } from "./server-source.js";

/** Time in milliseconds between two saves, as a person would need at least. */
const PAUSE_MS = 1_000;

/** Returns the times of reloads in milliseconds. */
export async function measureLatency(transport: TransportName, reloads: number): Promise<readonly number[]> {
  const project = new Project({ [FILE]: sourceOf(0) });
  const args = [FILE, ...(transport === "http" ? ["--port", "0"] : ["--stdio"])];
  const program = new DevProgram({ project, args, keepsCalls: false });
  let onChanged = () => undefined as void;
  const onMessage = ({ method }: ServerMessage) => {
    if (method === "notifications/tools/list_changed") onChanged();
  };
  let client: ToolClient | undefined;
  try {
    const url = await program.url();
    client = await (transport === "http" ? openSession(url, onMessage) : connectStdio(program, onMessage));
    const times: number[] = [];
    for (let version = 1; version <= reloads; version++) {
      await sleep(PAUSE_MS);
      const start = performance.now();
      const changed = new Promise<void>((resolve) => {
        onChanged = resolve;
      });
      project.save(FILE, sourceOf(version));
      await Promise.race([changed, program.exited.then(() => Promise.reject(new Error(program.describe())))]);
      times.push(performance.now() - start);
    }
    return times;
  } finally {
    client?.close();
    await program.stop();
    project.remove();
  }
}
