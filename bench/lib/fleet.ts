/**
 * @fileoverview Starts all servers of a case.
 * @module bench/lib/fleet
 */
import type { HostOptions } from "../servers/host-protocol.js";
import type { BenchOptions } from "./options.js";
import { absentRow, type Row } from "./result.js";
import { type MeasuredServer, ServerProcess } from "./server-process.js";

/** Servers that started, and a row for each that did not. */
export interface Fleet<Server = ServerProcess> {
  readonly servers: readonly Server[];
  readonly absent: readonly Row[];
}

/** Starts the participating servers on Node.js, runs the measurement, and stops them. */
export function withFleet<T>(
  names: readonly string[],
  setup: Omit<HostOptions, "server">,
  options: BenchOptions,
  work: (fleet: Fleet) => AsyncIterable<T>,
  nodeFlags: readonly string[] = [],
): AsyncGenerator<T> {
  const start = (server: string) => ServerProcess.start({ ...setup, server }, nodeFlags);
  return withServers(
    names.filter((name) => options.takes(name)),
    start,
    work,
  );
}

/** Starts servers with a function, runs the measurement, and stops them. */
export async function* withServers<T, Server extends MeasuredServer>(
  names: readonly string[],
  start: (name: string) => Promise<Server>,
  work: (fleet: Fleet<Server>) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const servers: Server[] = [];
  const absent: Row[] = [];
  for (const server of names) {
    try {
      servers.push(await start(server));
    } catch (error) {
      absent.push(absentRow(server, error));
    }
  }
  try {
    yield* work({ servers, absent });
  } finally {
    for (const server of servers) await server.stop();
  }
}
