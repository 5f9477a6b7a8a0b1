/**
 * @fileoverview Ports and shutdown of server programs that tools start.
 * @module tools/server-process
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

/** Time in milliseconds that a server gets to stop before it is killed. */
const STOP_MS = 3_000;

/** Stops a server. Kills it if it does not stop in time. */
export async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGINT");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await exited;
  clearTimeout(late);
}

/** Finds a port that nothing listens on. Ephemeral ports rotate, so two calls return two ports. */
export async function findFreePort(host?: string): Promise<number> {
  const probe = createServer().listen(0, host);
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string")
    throw new Error("The probe is not listening on a port.");
  return address.port;
}
