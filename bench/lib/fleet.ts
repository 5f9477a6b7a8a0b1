/**
 * @fileoverview All servers of a case, up at once.
 * @module bench/lib/fleet
 */
import type { HostOptions } from "../servers/host-protocol.js";
import type { BenchOptions } from "./options.js";
import { absentRow, type Row } from "./result.js";
import { ServerProcess } from "./server-process.js";

/** The servers that came up, and a line for each that did not. */
export interface Fleet {
  readonly servers: readonly ServerProcess[];
  readonly absent: readonly Row[];
}

/** Starts the servers that take part, does the work, and ends them. */
export async function* withFleet<T>(
  names: readonly string[],
  setup: Omit<HostOptions, "server">,
  options: BenchOptions,
  work: (fleet: Fleet) => AsyncIterable<T>,
  nodeFlags: readonly string[] = [],
): AsyncGenerator<T> {
  const servers: ServerProcess[] = [];
  const absent: Row[] = [];
  for (const server of names.filter((name) => options.takes(name))) {
    try {
      servers.push(await ServerProcess.start({ ...setup, server }, nodeFlags));
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
