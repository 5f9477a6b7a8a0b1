/**
 * @fileoverview Source code of the server that the measurements reload.
 * @module tools/reload/server-source
 */

/** Transport of a measurement. */
export type TransportName = "http" | "stdio";

/** Transports, in the order of the measurements. */
export const TRANSPORTS: readonly TransportName[] = ["http", "stdio"];

/** File of the server. */
export const FILE = "server.ts";

/** Returns the code of a version. Each version has a tool of its own, so that the list changes with every reload. */
export function sourceOf(version: number): string {
  return `import { setTimeout as sleep } from "node:timers/promises";
import { defineServer } from "tenon";
import { z } from "zod";

const input = z.object({ text: z.string(), ms: z.number() });

export default defineServer({ name: "reload", version: "1.0.${version}" })
  .tool("echo", {
    description: "Returns its input after a moment, with the version of the code",
    input,
    handler: async ({ text, ms }) => {
      await sleep(ms);
      return \`\${text} ${version}\`;
    },
  })
  .tool("only_in_${version}", { handler: () => "${version}" });
`;
}
