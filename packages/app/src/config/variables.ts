/**
 * @fileoverview Table of the standard environment variables, with their defaults and descriptions.
 * @module app/config/variables
 */
import {
  endpointPath,
  flag,
  host,
  hosts,
  level,
  line,
  oneOf,
  origins,
  type Reader,
  scopes,
  secretKey,
  secureUrl,
  whole,
} from "./readers.js";

/** Definition of one environment variable. */
export interface Variable<T = unknown> {
  readonly name: string;
  /** Alternative name, read if `name` is unset. */
  readonly alias?: string;
  readonly reader: Reader<T>;
  /** Text to parse if the variable is unset. */
  readonly fallback?: string;
  /** Description of the default for the help text, if `fallback` is not set. */
  readonly otherwise?: string;
  /** Short description for the help text. */
  readonly meaning: string;
  /** True if the value must not appear in logs or errors. @default false */
  readonly secret?: boolean;
}

/** Standard variables, keyed by setting. */
export const VARIABLES = {
  mcpServerName: {
    name: "MCP_SERVER_NAME",
    reader: line("a single-line name", 128),
    fallback: "mcp-server",
    meaning: "Server name shown to clients",
  },
  mcpServerVersion: {
    name: "MCP_SERVER_VERSION",
    reader: line("a single-line version", 64),
    fallback: "0.0.0",
    meaning: "Server version shown to clients",
  },
  environment: {
    name: "NODE_ENV",
    reader: line("a single-line name", 32),
    fallback: "development",
    meaning: "Environment: development, test, or production",
  },
  logLevel: {
    name: "MCP_LOG_LEVEL",
    alias: "LOG_LEVEL",
    reader: level(),
    otherwise: "debug in development, otherwise info",
    meaning: "Minimum log level; LOG_LEVEL is read if this is unset",
  },
  logsPath: {
    name: "LOGS_DIR",
    reader: line("a path", 1_024),
    meaning: "Directory for log files; no files are written if unset",
  },
  mcpTransportType: {
    name: "MCP_TRANSPORT_TYPE",
    reader: oneOf(["stdio", "http"]),
    fallback: "stdio",
    meaning: "Transport: stdio or http",
  },
  mcpSessionMode: {
    name: "MCP_SESSION_MODE",
    reader: oneOf(["stateless", "stateful", "auto"]),
    fallback: "auto",
    meaning: "Session mode over HTTP; auto opens a session for clients that request one",
  },
  mcpHttpPort: {
    name: "MCP_HTTP_PORT",
    reader: whole(0, 65_535),
    fallback: "3010",
    meaning: "Port; 0 picks a free port",
  },
  mcpHttpHost: {
    name: "MCP_HTTP_HOST",
    reader: host(),
    fallback: "127.0.0.1",
    meaning: "Address to listen on; a non-loopback address requires MCP_ALLOWED_HOSTS",
  },
  mcpHttpEndpointPath: {
    name: "MCP_HTTP_ENDPOINT_PATH",
    reader: endpointPath(),
    fallback: "/mcp",
    meaning: "Endpoint path",
  },
  mcpHttpMaxPortRetries: {
    name: "MCP_HTTP_MAX_PORT_RETRIES",
    reader: whole(0, 1_000),
    fallback: "15",
    meaning: "Number of higher ports to try if the port is in use",
  },
  mcpHttpPortRetryDelayMs: {
    name: "MCP_HTTP_PORT_RETRY_DELAY_MS",
    reader: whole(0, 60_000),
    fallback: "50",
    meaning: "Delay between port retries, in milliseconds",
  },
  mcpStatefulSessionStaleTimeoutMs: {
    name: "MCP_STATEFUL_SESSION_STALE_TIMEOUT_MS",
    reader: whole(1_000, 2_147_483_647),
    fallback: "1800000",
    meaning: "Maximum session idle time, in milliseconds",
  },
  mcpAllowedOrigins: {
    name: "MCP_ALLOWED_ORIGINS",
    reader: origins(),
    otherwise: "loopback origins",
    meaning: "Origins of web pages that may call the server and read its responses",
  },
  mcpAllowedHosts: {
    name: "MCP_ALLOWED_HOSTS",
    reader: hosts(),
    otherwise: "loopback names",
    meaning: "Host names that clients use, without ports",
  },
  mcpAuthMode: {
    name: "MCP_AUTH_MODE",
    reader: oneOf(["jwt", "oauth", "none"]),
    fallback: "none",
    meaning: "Authentication over HTTP: jwt (shared key), oauth (OAuth tokens), or none",
  },
  mcpAuthSecretKey: {
    name: "MCP_AUTH_SECRET_KEY",
    reader: secretKey(),
    meaning: "Signing key for jwt mode, 32 to 4096 characters",
    secret: true,
  },
  mcpAuthDevBypass: {
    name: "MCP_AUTH_DEV_BYPASS",
    reader: flag(),
    fallback: "false",
    meaning:
      "Skips authentication and uses the development client. " +
      "Allowed only on loopback, with NODE_ENV development or test",
  },
  oauthIssuerUrl: {
    name: "OAUTH_ISSUER_URL",
    reader: secureUrl(),
    meaning: "The authorization server's issuer URL for oauth mode",
  },
  oauthJwksUri: {
    name: "OAUTH_JWKS_URI",
    reader: secureUrl(true),
    otherwise: "discovered from the issuer",
    meaning: "URL of the issuer's JSON Web Key Set (JWKS)",
  },
  oauthAudience: {
    name: "OAUTH_AUDIENCE",
    reader: line("a single-line audience", 1_024),
    meaning: "Required token audience for oauth mode",
  },
  devMcpClientId: {
    name: "DEV_MCP_CLIENT_ID",
    reader: line("a single-line client ID"),
    fallback: "dev-client-id",
    meaning: "Client ID used with MCP_AUTH_DEV_BYPASS",
  },
  devMcpScopes: {
    name: "DEV_MCP_SCOPES",
    reader: scopes(),
    fallback: "dev-scope",
    meaning: "Scopes used with MCP_AUTH_DEV_BYPASS",
  },
} as const satisfies Readonly<Record<string, Variable>>;

/** Values of the variables. One without a default may be `undefined`. */
export type VariableValues = {
  readonly [Key in keyof typeof VARIABLES]: ValueOf<(typeof VARIABLES)[Key]>;
};

type ValueOf<Row> =
  Row extends Variable<infer Value> ? Value | (Row extends { fallback: string } ? never : undefined) : never;
