/**
 * @fileoverview Parses the command line of `npm run bench`.
 * @module bench/lib/options
 */
import { parseArgs } from "node:util";
import { NODE_MAJORS, type NodeMajor } from "./node-version.js";
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
  /** Major version of Node.js to run on; by default, the one that runs this program. */
  readonly node: NodeMajor | undefined;
  /** Returns true if a suite, or a part of it, should run. */
  readonly wants: (suite: string, part?: string) => boolean;
  /** Returns true if a server participates. */
  readonly takes: (server: string) => boolean;
}

/** Help text. */
export const HELP = `Usage: npm run bench -- [flags]

  --quick             short run, about ten minutes (the default is between --quick and --full)
  --full              the run reported in docs/performance.md, over an hour
  cluster             run this suite only; the same as --only=cluster
  --only=http,stdio   run these suites only; http:call selects the tables whose id starts with "call"
  --servers=a,b       run these servers only (baselines: raw-fixed, raw-zod, raw-fetch, raw-sse)
  --node=24           run servers and client on Node 22 or 24, which npm installs on first use
  --guard             compare Tenon and the baselines with bench/guard.json; warns, never fails
  --guard --save      store the values for --guard
  --json=path         also write all results to one file
  --help              show this text

Suites:

  in-process   a realistic call, a small call, and a list of 1,000 tools, from text to text;
               objects-legacy and objects-modern: a realistic call from object to object
  http         order: a realistic call (four fields, nine-digit IDs); call: a small call; echo: 100 kB; list: 100 tools
  fetch        the realistic call of fetch functions behind @hono/node-server 2 and 1
  stdio        2,000 pipelined calls, realistic (order) and small (call)
  cold-start   a process with one tool on stdio and over HTTP, until its first response
  streams      calls with 10 progress events, a change on 1,000 open streams, resumption
  large        1 MB of text, 1 MB of structured content, an image of 5 MB: CPU time and memory high-water mark
  sdk          one server per request, with the official SDK and with @tenon/sdk in its place
  memory, scale, standard, grouped, tasks, cluster, tokens, footprint: see bench/README.md`;

const PACES: Readonly<Record<Size, Pace>> = {
  quick: { sliceMs: 80, rounds: 5, warmMs: 1_000 },
  normal: { sliceMs: 80, rounds: 17, warmMs: 4_000 },
  full: { sliceMs: 100, rounds: 45, warmMs: 6_000 },
};

/** Pace of the guard: few servers, but long enough to detect a change of a tenth. */
const GUARD_PACE: Pace = { sliceMs: 80, rounds: 15, warmMs: 3_000 };

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
      node: { type: "string" },
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
    node: parseMajor(values.node),
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

function parseMajor(value: string | undefined): NodeMajor | undefined {
  if (value === undefined) return undefined;
  const major = NODE_MAJORS.find((one) => String(one) === value);
  if (major === undefined)
    throw new TypeError(`--node must be one of ${NODE_MAJORS.join(", ")}; got ${value}.`);
  return major;
}
