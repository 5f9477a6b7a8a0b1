/**
 * @fileoverview What the floors share: answers written by hand, with nothing between them and Node.
 * @module bench/servers/raw
 */
import { z } from "zod";
import { type Setup } from "./contract.js";
import { benchTools, INFO } from "./tools.js";

/** A message, as far as the floors look at it. */
export interface RawMessage {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown };
}

/** What 2026-07-28 wants in every result. */
export function modernFields({ mode }: Setup): object {
  return mode === "modern"
    ? { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": INFO } }
    : {};
}

/** What tools/list says. */
export function listResult(setup: Setup): object {
  const tools = benchTools(setup.tools).map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input),
  }));
  const cache = setup.mode === "modern" ? { ttlMs: 0, cacheScope: "public" } : {};
  return { tools, ...cache, ...modernFields(setup) };
}

/** What initialize says. */
export const INITIALIZE_RESULT = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: INFO,
} as const;

/** A session id that every client gets; the floors keep none. */
export const RAW_SESSION = "raw";

/** Calls `take` with each line of the process's input; what it gives is written in one go for each chunk of input. */
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
