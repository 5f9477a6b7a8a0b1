/**
 * @fileoverview Types for an application's configuration.
 * @module app/config/app-config
 */
import type { LoggerLevel } from "../logging/levels.js";

/** Settings that every application reads from its environment. `describeConfig` documents each variable. */
export interface AppSettings {
  readonly mcpServerName: string;
  readonly mcpServerVersion: string;
  readonly logLevel: LoggerLevel;
  /** Directory for log files. No files are written if it is `undefined`. */
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

/** Validated, frozen configuration. Logging or serializing the object shows secrets as `[REDACTED]`. */
export interface AppConfig<Extra = Readonly<Record<string, unknown>>> extends AppSettings {
  /** Values of the variables that the application declares itself. */
  readonly extra: Extra;
  /** Returns all settings, with secrets redacted. */
  toJSON(): Readonly<Record<string, unknown>>;
}

/** Environment variables, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;
