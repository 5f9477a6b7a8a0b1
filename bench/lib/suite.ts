/**
 * @fileoverview The interface of a suite, and the servers that each suite can use.
 * @module bench/lib/suite
 */
import type { BenchOptions } from "./options.js";
import type { Table } from "./result.js";

/** A suite. It yields its tables one after the other, so that each is printed when it is complete. */
export interface Suite {
  readonly name: string;
  readonly title: string;
  run(options: BenchOptions): AsyncIterable<Table>;
}

/** Servers by transport and era. */
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

/** mcp-lite prefers streams. If the client accepts JSON only, it costs half as much. Other servers refuse that. */
export const ACCEPTS: Readonly<Record<string, string>> = {
  "mcp-lite": "application/json",
  "mcp-lite-bound": "application/json",
};
