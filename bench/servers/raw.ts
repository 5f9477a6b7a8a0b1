/**
 * @fileoverview Shared parts of the baselines: responses written by hand on plain Node.js.
 * @module bench/servers/raw
 */
import { z } from "zod";
import { type Setup } from "./contract.js";
import { benchTools, INFO } from "./tools.js";

/** The used part of a message. */
export interface RawMessage {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown };
}

/** Returns the fields that 2026-07-28 requires in every result. */
export function modernFields({ mode }: Setup): object {
  return mode === "modern"
    ? { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": INFO } }
    : {};
}

/** Returns the result of `tools/list`. */
export function listResult(setup: Setup): object {
  const tools = benchTools(setup.tools).map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input),
  }));
  const cache = setup.mode === "modern" ? { ttlMs: 0, cacheScope: "public" } : {};
  return { tools, ...cache, ...modernFields(setup) };
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
