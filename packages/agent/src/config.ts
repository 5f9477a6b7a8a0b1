/**
 * @fileoverview What an agent server is configured with, and what stands where nothing was said.
 * @module agent/config
 */
import { z } from "zod";

const PORT = "Port must be between 1 and 65535";
const STORAGE_PATH = "Storage path must be a valid string";
const MAX_CONNECTIONS = "maxConnections must be a positive whole number";
const HEARTBEAT_INTERVAL = "heartbeatInterval must be a whole number of milliseconds, from 1 to 2147483647";

/** Longer paths are refused by the systems that we know. */
const LONGEST_PATH = 4_096;

/** A longer delay overflows the timers of Node, which then fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** The configuration of an agent server; every setting has a default. */
export const ServerConfigSchema = /* @__PURE__ */ z.object({
  port: z.number(PORT).int(PORT).min(1, PORT).max(65_535, PORT).default(10_013),
  // A file system cuts a path at NUL, and a log line breaks at the others.
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

/** A configuration that was checked. */
export type ServerConfig = z.infer<typeof ServerConfigSchema>;
