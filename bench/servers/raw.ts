/**
 * @fileoverview Shared parts of the baselines: responses written by hand on plain Node.js.
 * @module bench/servers/raw
 */
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { RawMessage, Setup } from "./contract.js";
import { benchTools, INFO } from "./tools.js";

/** The `_meta` that every result of the modern era has. */
export const RESULT_META = { "io.modelcontextprotocol/serverInfo": INFO } as const;

/** Returns the fields that the modern era requires in every result. */
export function modernFields({ mode }: Setup): object {
  return mode === "modern" ? { resultType: "complete", _meta: RESULT_META } : {};
}

/**
 * Returns true if the headers of a modern request name the same revision, method, and tool as its body, which the
 * modern era requires servers to check.
 */
export function matchesHeaders(headers: IncomingHttpHeaders, { method, params }: RawMessage): boolean {
  return (
    headers["mcp-protocol-version"] === params?._meta?.["io.modelcontextprotocol/protocolVersion"] &&
    headers["mcp-method"] === method &&
    headers["mcp-name"] === params?.name
  );
}

/** Returns the result of `tools/list`. */
export function listResult(setup: Setup): object {
  const tools = benchTools(setup.tools).map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: "input" }),
  }));
  const cache = setup.mode === "modern" ? { ttlMs: 60_000, cacheScope: "public" } : {};
  return { ...modernFields(setup), tools, ...cache };
}

/** Result of `initialize`. */
export const INITIALIZE_RESULT = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: INFO,
} as const;

/** Session id of every client. The baselines keep no sessions. */
export const RAW_SESSION = "raw";

/** Calls `take` with each line of standard input. Writes its results once per chunk of input. */
export function serveLines(take: (line: string) => string): void {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    let output = "";
    for (const line of lines) {
      const reply = take(line);
      if (reply !== "") output += `${reply}\n`;
    }
    if (output !== "") process.stdout.write(output);
  });
}
