/**
 * @fileoverview Starts all servers of a case.
 * @module bench/lib/fleet
 */
import type { HostOptions } from "../servers/host-protocol.js";
import type { BenchOptions } from "./options.js";
import { absentRow, type Row } from "./result.js";
import { ServerProcess } from "./server-process.js";

/** Servers that started, and a row for each that did not. */
export interface Fleet {
  readonly servers: readonly ServerProcess[];
  readonly absent: readonly Row[];
}

/** Starts the participating servers, runs the measurement, and stops them. */
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
