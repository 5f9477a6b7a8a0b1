/**
 * @fileoverview Measures building, listing and calling with ten to ten thousand tools.
 * @module bench/suites/scale
 */
import { type Fleet, withFleet } from "../lib/fleet.js";
import { interleave } from "../lib/interleave.js";
import type { BenchOptions } from "../lib/options.js";
import { requestRow, type Row, type Table } from "../lib/result.js";
import { type Suite, SERVERS } from "../lib/suite.js";
import { runSlice } from "./in-process.js";

const COUNTS = { quick: [1_000], normal: [10, 100, 1_000], full: [10, 100, 1_000, 10_000] } as const;

/** The scale suite. */
export const scale: Suite = {
  name: "scale",
  title: "Scale",
  async *run(options) {
    for (const tools of COUNTS[options.size]) {
      if (!options.wants("scale", String(tools))) continue;
      const setup = { wire: "in-process", mode: "session", tools } as const;
      yield* withFleet(SERVERS.inProcess.legacy, setup, options, async function* (fleet) {
        yield await measure(fleet, tools, options);
      });
    }
  },
};

async function measure({ servers, absent }: Fleet, tools: number, { pace }: BenchOptions): Promise<Table> {
  const setup = { mode: "session", tools } as const;
  const contest = (name: "call" | "list") =>
    interleave(
      servers.map((server) => ({
        name: server.name,
        slice: (ms: number) => runSlice(server, name, setup, ms),
      })),
      pace,
    );
  const calls = await contest("call");
  const lists = await contest("list");
  const rows = servers.map(({ name, buildUs }): Row => {
    const [call, list] = [requestRow(name, calls.get(name) ?? []), requestRow(name, lists.get(name) ?? [])];
    return {
      server: name,
      figures: {
        ...(call.figures["cpu"] === undefined ? {} : { call: call.figures["cpu"] }),
        ...(list.figures["cpu"] === undefined ? {} : { list: list.figures["cpu"] }),
        build: buildUs / 1000,
      },
      errors: (call.errors ?? 0) + (list.errors ?? 0),
    };
  });
  return {
    id: `${tools}`,
    title: `Scale: ${tools.toLocaleString("en")} tools, in-process, legacy`,
    metric: "call",
    floor: "raw-zod",
    columns: { call: "call CPU µs", list: "list CPU µs", build: "build CPU ms" },
    rows: [...absent, ...rows],
  };
}
