/**
 * @fileoverview Parses the command line of `npm run bench`.
 * @module bench/lib/options
 */
import { parseArgs } from "node:util";
import type { Pace } from "./interleave.js";

/** Size of a run. */
export type Size = "quick" | "normal" | "full";

/** Options of a run. */
export interface BenchOptions {
  readonly size: Size;
  readonly pace: Pace;
  readonly guard: boolean;
  readonly save: boolean;
  readonly help: boolean;
  readonly json: string | undefined;
  /** Returns true if a suite, or a part of it, should run. */
  readonly wants: (suite: string, part?: string) => boolean;
  /** Returns true if a server participates. */
  readonly takes: (server: string) => boolean;
}

/** Help text. */
export const HELP = `Usage: npm run bench -- [flags]

  --quick             short run, about two minutes (the default is between --quick and --full)
  --full              the run reported in docs/performance.md, about half an hour
  cluster             run this suite only; the same as --only=cluster
  --only=http,stdio   run these suites only; http:call selects the tables whose id starts with "call"
  --servers=a,b       run these servers only (baselines: raw-fixed, raw-zod, raw-fetch)
  --guard             compare Tenon and the baselines with bench/guard.json; warns, never fails
  --guard --save      store the values for --guard
  --json=path         also write all results to one file
  --help              show this text

Suites: in-process, http, stdio, cold-start, memory, scale, grouped, standard, tasks, cluster, tokens, footprint`;

const PACES: Readonly<Record<Size, Pace>> = {
  quick: { sliceMs: 80, rounds: 5, warmMs: 1_000 },
  normal: { sliceMs: 150, rounds: 9, warmMs: 4_000 },
  full: { sliceMs: 300, rounds: 15, warmMs: 8_000 },
};

/** Pace of the guard: few servers, but long enough to detect a change of a tenth. */
const GUARD_PACE: Pace = { sliceMs: 120, rounds: 9, warmMs: 3_000 };

/** Servers that a short run omits. The official SDK v2 represents them. */
const LEFT_OUT: ReadonlySet<string> = new Set(["fastmcp", "official-v1"]);

/** Parses the flags. @throws if a flag is unknown */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean" },
      full: { type: "boolean" },
      guard: { type: "boolean" },
      save: { type: "boolean" },
      help: { type: "boolean" },
      only: { type: "string" },
      servers: { type: "string" },
      json: { type: "string" },
    },
  });
  const size: Size =
    values.quick === true || values.guard === true ? "quick" : values.full === true ? "full" : "normal";
  const only = positionals.length > 0 ? positionals : values.only?.split(",");
  const servers = values.servers?.split(",");
  return {
    size,
    pace: values.guard === true ? GUARD_PACE : PACES[size],
    guard: values.guard ?? false,
    save: values.save ?? false,
    help: values.help ?? false,
    json: values.json,
    wants(suite, part) {
      return (
        only === undefined ||
        only.some((one) => {
          const [name, rest] = one.split(/:(.*)/s);
          if (name !== suite) return false;
          return part === undefined || rest === undefined || part.startsWith(rest);
        })
      );
    },
    takes: (server) => servers?.includes(server) ?? !(size === "quick" && LEFT_OUT.has(server)),
  };
}
