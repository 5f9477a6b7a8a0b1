/**
 * @fileoverview Agent server configuration and its defaults.
 * @module agent/config
 */
import { z } from "zod";
import { showValue } from "@tenon/internal/kind-of";

const PORT = "Port must be between 1 and 65535";
const STORAGE_PATH = "Storage path must be a valid string";
const MAX_CONNECTIONS = /* @__PURE__ */ mustBe("`maxConnections` must be a positive integer");
const HEARTBEAT_INTERVAL = /* @__PURE__ */ mustBe(
  "`heartbeatInterval` must be an integer from 1 to 2147483647 (milliseconds)",
);

/** Maximum path length. Common operating systems reject longer paths. */
const LONGEST_PATH = 4_096;

/** Maximum delay of a Node.js timer, in milliseconds. A timer with a longer delay fires immediately. */
const LONGEST_TIMER = 2_147_483_647;

/** Schema of the agent server configuration. Every setting has a default or is optional. */
export const ServerConfigSchema = /* @__PURE__ */ z.object({
  port: z.number(PORT).int(PORT).min(1, PORT).max(65_535, PORT).default(10_013),
  // NUL terminates a path in system calls, and other control characters break log lines.
  storagePath: z
    .string(STORAGE_PATH)
    .min(1, STORAGE_PATH)
    .max(LONGEST_PATH, STORAGE_PATH)
    .regex(/^\P{Cc}*$/u, STORAGE_PATH)
    .default("./storage"),
  maxConnections: z.number(MAX_CONNECTIONS).int(MAX_CONNECTIONS).positive(MAX_CONNECTIONS).optional(),
  heartbeatInterval: z
    .number(HEARTBEAT_INTERVAL)
    .int(HEARTBEAT_INTERVAL)
    .min(1, HEARTBEAT_INTERVAL)
    .max(LONGEST_TIMER, HEARTBEAT_INTERVAL)
    .optional(),
});

/** Validated configuration of an agent server. */
export type ServerConfig = z.infer<typeof ServerConfigSchema>;

/** Creates Zod parameters whose error message states a rule and the rejected value. */
function mustBe(rule: string): { readonly error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => `${rule}; got ${showValue(input)}.` };
}
