/**
 * @fileoverview The command line of `npm run bench`.
 * @module bench/lib/options
 */
import { parseArgs } from "node:util";
import type { Pace } from "./interleave.js";

/** How much is measured. */
export type Size = "quick" | "normal" | "full";

/** What was asked for. */
export interface BenchOptions {
  readonly size: Size;
  readonly pace: Pace;
  readonly guard: boolean;
  readonly save: boolean;
  readonly help: boolean;
  readonly json: string | undefined;
  /** Whether a suite, or a part of one, is to run. */
  readonly wants: (suite: string, part?: string) => boolean;
  /** Whether a server takes part. */
  readonly takes: (server: string) => boolean;
}

/** The help text. */
export const HELP = `npm run bench -- [flags]

  --quick             a first look, two minutes or so (the default is in between)
  --full              what docs/performance.md reports, half an hour or so
  --only=http,stdio   some suites; http:call is a part of one (any table whose id begins so)
  --servers=a,b       some servers only (floors: raw-fixed, raw-zod, raw-fetch)
  --guard             Tenon against the floors only, compared with bench/guard.json; it warns and never fails
  --guard --save      stores what the guard compares with
  --json=path         all results in one file, too
  --help              this text

suites: in-process, http, stdio, cold-start, memory, scale, grouped, standard, tokens, footprint`;

const PACES: Readonly<Record<Size, Pace>> = {
  quick: { sliceMs: 80, rounds: 5, warmMs: 1_000 },
  normal: { sliceMs: 150, rounds: 9, warmMs: 4_000 },
  full: { sliceMs: 300, rounds: 15, warmMs: 8_000 },
};

/** Few servers, but each for long enough to trust a tenth. */
const GUARD_PACE: Pace = { sliceMs: 120, rounds: 9, warmMs: 3_000 };

/** Peers that a first look can do without: the official v2 stands for them. */
const LEFT_OUT: ReadonlySet<string> = new Set(["fastmcp", "official-v1"]);

/** Reads the flags. @throws where one is unknown */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
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
  const only = values.only?.split(",");
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
