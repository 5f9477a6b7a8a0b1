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

const LEGACY_HTTP = [
  "raw-fixed",
  "raw-zod",
  "raw-fetch",
  "tenon",
  "tenon-node",
  "tenon-fetch",
  "mcp-lite",
  "mcp-lite-bound",
  "tmcp",
  "official-v2",
  "official-v1",
  "fastmcp",
] as const;

/** Servers by transport and era. */
export const SERVERS = {
  http: {
    stateless: LEGACY_HTTP,
    session: LEGACY_HTTP,
    modern: [
      "raw-fixed",
      "raw-zod",
      "raw-fetch",
      "tenon",
      "tenon-node",
      "tenon-fetch",
      "tmcp",
      "official-v2",
    ],
  },
  fetch: {
    stateless: ["raw-zod", "raw-fetch", "tenon", "tenon-fetch", "mcp-lite", "tmcp", "official-v2"],
    session: ["raw-zod", "raw-fetch", "tenon", "tenon-fetch", "mcp-lite", "tmcp"],
    modern: ["raw-zod", "raw-fetch", "tenon", "tenon-fetch", "tmcp", "official-v2"],
  },
  runtimes: {
    stateless: ["raw-fetch", "tenon-fetch", "mcp-lite"],
    session: ["raw-fetch", "tenon-fetch", "mcp-lite"],
    modern: ["raw-fetch", "tenon-fetch"],
  },
  stdio: {
    legacy: ["raw-fixed", "raw-zod", "tenon", "tmcp", "official-v2", "official-v1", "fastmcp"],
    modern: ["raw-fixed", "raw-zod", "tenon", "tmcp", "official-v2"],
  },
  inProcess: {
    legacy: ["raw-fixed", "raw-zod", "tenon", "mcp-lite", "tmcp", "official-v2", "official-v1"],
    modern: ["raw-fixed", "raw-zod", "tenon", "tmcp", "official-v2"],
  },
  objects: {
    legacy: ["raw-zod", "tenon", "tenon-client", "mcp-lite", "tmcp", "official-v2"],
    modern: ["raw-zod", "tenon", "tenon-client", "tmcp", "official-v2"],
  },
} as const;

/** Returns the servers of a case. A fixed response cannot be right for the realistic call: its results differ. */
export function serversFor(names: readonly string[], caseName: string): readonly string[] {
  return caseName === "order" ? names.filter((name) => name !== "raw-fixed") : names;
}

/** mcp-lite prefers streams. If the client accepts JSON only, it costs half as much. Other servers refuse that. */
export const ACCEPTS: Readonly<Record<string, string>> = {
  "mcp-lite": "application/json",
  "mcp-lite-bound": "application/json",
};
