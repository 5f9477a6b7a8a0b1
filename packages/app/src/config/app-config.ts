/**
 * @fileoverview The configuration of an application, as its parts know it.
 * @module app/config/app-config
 */
import type { LoggerLevel } from "../logging/levels.js";

/** Settings that every application of the standard reads from its environment. */
export interface AppSettings {
  readonly mcpServerName: string;
  readonly mcpServerVersion: string;
  readonly logLevel: LoggerLevel;
  /** The folder of log files. */
  readonly logsPath: string | undefined;
  readonly environment: string;
  readonly mcpTransportType: "stdio" | "http";
  readonly mcpSessionMode: "stateless" | "stateful" | "auto";
  readonly mcpHttpPort: number;
  readonly mcpHttpHost: string;
  readonly mcpHttpEndpointPath: string;
  readonly mcpHttpMaxPortRetries: number;
  readonly mcpHttpPortRetryDelayMs: number;
  readonly mcpStatefulSessionStaleTimeoutMs: number;
  readonly mcpAllowedOrigins: readonly string[] | undefined;
  readonly mcpAllowedHosts: readonly string[] | undefined;
  readonly mcpAuthMode: "jwt" | "oauth" | "none";
  readonly mcpAuthSecretKey: string | undefined;
  readonly mcpAuthDevBypass: boolean;
  readonly oauthIssuerUrl: string | undefined;
  readonly oauthJwksUri: string | undefined;
  readonly oauthAudience: string | undefined;
  readonly devMcpClientId: string;
  readonly devMcpScopes: readonly string[];
}

/** A configuration: frozen, complete, and with `[REDACTED]` for its secrets wherever it is shown as a whole. */
export interface AppConfig<Extra = Readonly<Record<string, unknown>>> extends AppSettings {
  /** The application's own variables. */
  readonly extra: Extra;
  /** What may be logged of it. */
  toJSON(): Readonly<Record<string, unknown>>;
}

/** An environment, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;
