/**
 * @fileoverview Configuration of an agent server, and its defaults.
 * @module agent/config
 */
import { z } from "zod";

const PORT = "Port must be between 1 and 65535";
const STORAGE_PATH = "Storage path must be a valid string";
const MAX_CONNECTIONS = "`maxConnections` must be a positive integer.";
const HEARTBEAT_INTERVAL = "`heartbeatInterval` must be an integer from 1 to 2147483647 (milliseconds).";

/** Maximum length of a path. Common operating systems reject longer ones. */
const LONGEST_PATH = 4_096;

/** Maximum delay of Node's timers. With a longer delay they fire immediately. */
const LONGEST_TIMER = 2_147_483_647;

/** Configuration of an agent server. Every setting has a default. */
export const ServerConfigSchema = /* @__PURE__ */ z.object({
  port: z.number(PORT).int(PORT).min(1, PORT).max(65_535, PORT).default(10_013),
  // File systems end a path at NUL, and other control characters break log lines.
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

/** Validated configuration. */
export type ServerConfig = z.infer<typeof ServerConfigSchema>;
