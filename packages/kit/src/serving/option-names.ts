/**
 * @fileoverview Option names for the serving functions. A misspelled option, such as `auth` for `authorization`,
 * fails at startup instead of being ignored.
 * @module kit/serving/option-names
 */
import type { OptionNames } from "@tenon/internal/names/known-options";
import type { HttpOptions } from "tenon/fetch";

/** Names of the HTTP options that all HTTP functions share. */
export const HTTP_NAMES: OptionNames<HttpOptions<unknown>> = {
  allowedHosts: true,
  allowedOrigins: true,
  corsOrigins: true,
  legacy: true,
  legacySse: true,
  sessions: true,
  limits: true,
  context: true,
  authenticate: true,
  authorization: true,
  streamAfterMs: true,
  keepAliveMs: true,
  retryMs: true,
  maxQueueBytes: true,
  writeTimeoutMs: true,
  maxResponseBytes: true,
  maxRequestBytes: true,
  maxCallsPerConnection: true,
  ports: true,
};

/** Common wrong names, and the options they stand for. */
export const ALIASES: Readonly<Record<string, string>> = {
  auth: "authorization",
  authorize: "authorization",
  authentication: "authenticate",
  hosts: "allowedHosts",
  hostname: "host",
  origins: "allowedOrigins",
  cors: "corsOrigins",
  stateless: "legacy",
  sse: "legacySse",
  session: "sessions",
  maxSessions: "sessions",
  ctx: "context",
  log: "logger",
  express: "app",
  endpoint: "path",
  route: "path",
  factory: "serverFactory",
  createServer: "serverFactory",
  stdio: "streams",
};
