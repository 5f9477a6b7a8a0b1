/**
 * @fileoverview What a suite is.
 * @module bench/lib/suite
 */
import type { BenchOptions } from "./options.js";
import type { Table } from "./result.js";

/** A suite gives its tables one after another, so that each is shown when it is there. */
export interface Suite {
  readonly name: string;
  readonly title: string;
  run(options: BenchOptions): AsyncIterable<Table>;
}

/** Which servers can do what. */
export const SERVERS = {
  http: {
    stateless: [
      "raw-fixed",
      "raw-zod",
      "raw-fetch",
      "tenon",
      "tenon-fetch",
      "mcp-lite",
      "mcp-lite-bound",
      "tmcp",
      "official-v2",
      "official-v1",
      "fastmcp",
    ],
    session: [
      "raw-fixed",
      "raw-zod",
      "raw-fetch",
      "tenon",
      "tenon-fetch",
      "mcp-lite",
      "mcp-lite-bound",
      "tmcp",
      "official-v2",
      "official-v1",
      "fastmcp",
    ],
    modern: ["raw-fixed", "raw-zod", "raw-fetch", "tenon", "tenon-fetch", "tmcp", "official-v2"],
  },
  stdio: {
    legacy: ["raw-fixed", "raw-zod", "tenon", "tmcp", "official-v2", "official-v1", "fastmcp"],
    modern: ["raw-fixed", "raw-zod", "tenon", "tmcp", "official-v2"],
  },
  inProcess: {
    legacy: ["raw-fixed", "raw-zod", "tenon", "mcp-lite", "tmcp", "official-v2", "official-v1"],
    modern: ["raw-fixed", "raw-zod", "tenon", "tmcp", "official-v2"],
  },
} as const;

/** mcp-lite streams whenever it may; asked for JSON only, it costs half as much. Others refuse such a request. */
export const ACCEPTS: Readonly<Record<string, string>> = {
  "mcp-lite": "application/json",
  "mcp-lite-bound": "application/json",
};
