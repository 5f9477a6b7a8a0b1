/**
 * @fileoverview Measures fetch functions behind `@hono/node-server`, the usual way to serve them with Node.js, and on
 * Bun, Deno, and workerd.
 * @module bench/suites/fetch
 */
import type { InstalledRuntime } from "../../tools/runtimes/install.js";
import { withFleet, withServers } from "../lib/fleet.js";
import type { BenchOptions } from "../lib/options.js";
import { type Row, shareOfFloor, type Table } from "../lib/result.js";
import { RuntimeProcess } from "../lib/runtime-process.js";
import { type Suite, SERVERS } from "../lib/suite.js";
import type { Mode } from "../servers/contract.js";
import type { Bridge } from "../servers/host-protocol.js";
import { WITH_ORDER as tools } from "../servers/tools.js";
import { measure } from "./http.js";

const BRIDGES: readonly Bridge[] = ["hono-2", "hono-1"];
const RUNTIMES: readonly InstalledRuntime[] = ["bun", "deno", "workerd"];
const MODES: readonly Mode[] = ["stateless", "session", "modern"];

/** Servers that do not use the bridge. They show the cost of the bridge itself. */
const WITHOUT_BRIDGE = "raw-zod";

/** The fetch suite. */
export const fetchBridges: Suite = {
  name: "fetch",
  title: "Fetch functions behind @hono/node-server, and on Bun, Deno, and workerd",
  async *run(options) {
    for (const bridge of BRIDGES) {
      for (const mode of MODES) {
        if (options.wants("fetch", `${bridge}-${mode}`)) yield* measureBridge(bridge, mode, options);
      }
    }
    for (const runtime of RUNTIMES) {
      // Deno closes the connection after a request of more than about 500 bytes, which modern requests have.
      for (const mode of runtime === "deno" ? MODES.filter((one) => one !== "modern") : MODES) {
        if (options.wants("fetch", `${runtime}-${mode}`)) yield* measureRuntime(runtime, mode, options);
      }
    }
  },
};

function measureBridge(bridge: Bridge, mode: Mode, options: BenchOptions): AsyncIterable<Table> {
  const setup = { wire: "fetch", bridge, mode, tools } as const;
  return withFleet(SERVERS.fetch[mode], setup, options, async function* (fleet) {
    const table = await measure({ name: "order", connections: 32 }, { mode, tools }, fleet, options);
    yield {
      ...table,
      id: `${bridge}-${mode}`,
      title: `Realistic tools/call, fetch functions behind @hono/node-server ${bridge.slice(-1)}, ${mode}, 32 connections`,
      floor: "raw-fetch",
      columns: { cpu: table.columns["cpu"] ?? "", ofRaw: `% of ${WITHOUT_BRIDGE}`, ...table.columns },
      rows: table.rows.map((row): Row => {
        const ofRaw = shareOfFloor(table, row, WITHOUT_BRIDGE) * 100;
        return { ...row, figures: { ...row.figures, ofRaw } };
      }),
    };
  });
}

function measureRuntime(runtime: InstalledRuntime, mode: Mode, options: BenchOptions): AsyncIterable<Table> {
  const names = SERVERS.runtimes[mode].filter((name) => options.takes(name));
  const start = (server: string) => RuntimeProcess.start({ runtime, server, mode, tools });
  return withServers(names, start, async function* (fleet) {
    const table = await measure({ name: "order", connections: 32 }, { mode, tools }, fleet, options);
    yield {
      ...table,
      id: `${runtime}-${mode}`,
      title: `Realistic tools/call, fetch functions on ${runtime}, ${mode}, 32 connections`,
      floor: "raw-fetch",
    };
  });
}
