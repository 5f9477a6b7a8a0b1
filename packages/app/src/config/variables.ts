/**
 * @fileoverview The table of variables: what each is called, what it becomes, what it means.
 * @module app/config/variables
 */
import type { AppSettings } from "./app-config.js";
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

/** A variable of the environment. */
export interface Variable<T = unknown> {
  readonly name: string;
  readonly reader: Reader<T>;
  /** The text that counts where the variable is absent. */
  readonly fallback?: string;
  /** How the help text says what counts then, where that is no fixed text. */
  readonly otherwise?: string;
  readonly meaning: string;
  readonly secret?: boolean;
}

/** Every variable of the standard, by the setting that it makes. */
export const VARIABLES: { readonly [Key in keyof AppSettings]: Variable<NonNullable<AppSettings[Key]>> } = {
  mcpServerName: {
    name: "MCP_SERVER_NAME",
    reader: line("a name of one line", 128),
    fallback: "mcp-server",
    meaning: "The server's name, as clients see it",
  },
  mcpServerVersion: {
    name: "MCP_SERVER_VERSION",
    reader: line("a version of one line", 64),
    fallback: "0.0.0",
    meaning: "The server's version, as clients see it",
  },
  environment: {
    name: "NODE_ENV",
    reader: line("a name of one line", 32),
    fallback: "development",
    meaning: "Where this runs: development, test, production",
  },
  logLevel: {
    name: "MCP_LOG_LEVEL",
    reader: level(),
    otherwise: "debug in development, else info",
    meaning: "The least weight that is logged",
  },
  logsPath: {
    name: "LOGS_DIR",
    reader: line("a path", 1_024),
    meaning: "The folder of log files; without it there are none",
  },
  mcpTransportType: {
    name: "MCP_TRANSPORT_TYPE",
    reader: oneOf(["stdio", "http"]),
    fallback: "stdio",
    meaning: "How clients reach the server",
  },
  mcpSessionMode: {
    name: "MCP_SESSION_MODE",
    reader: oneOf(["stateless", "stateful", "auto"]),
    fallback: "auto",
    meaning: "Whether clients get sessions over HTTP; auto: those that open one",
  },
  mcpHttpPort: {
    name: "MCP_HTTP_PORT",
    reader: whole(0, 65_535),
    fallback: "3010",
    meaning: "The port; 0 takes any free one",
  },
  mcpHttpHost: {
    name: "MCP_HTTP_HOST",
    reader: host(),
    fallback: "127.0.0.1",
    meaning: "The address to listen on; one that others can reach needs MCP_ALLOWED_HOSTS",
  },
  mcpHttpEndpointPath: {
    name: "MCP_HTTP_ENDPOINT_PATH",
    reader: endpointPath(),
    fallback: "/mcp",
    meaning: "The path of the endpoint",
  },
  mcpHttpMaxPortRetries: {
    name: "MCP_HTTP_MAX_PORT_RETRIES",
    reader: whole(0, 1_000),
    fallback: "15",
    meaning: "How many higher ports are tried where one is taken",
  },
  mcpHttpPortRetryDelayMs: {
    name: "MCP_HTTP_PORT_RETRY_DELAY_MS",
    reader: whole(0, 60_000),
    fallback: "50",
    meaning: "The time between two such tries, in milliseconds",
  },
  mcpStatefulSessionStaleTimeoutMs: {
    name: "MCP_STATEFUL_SESSION_STALE_TIMEOUT_MS",
    reader: whole(1_000, 2_147_483_647),
    fallback: "1800000",
    meaning: "How long a session may be idle, in milliseconds",
  },
  mcpAllowedOrigins: {
    name: "MCP_ALLOWED_ORIGINS",
    reader: origins(),
    otherwise: "this machine's own",
    meaning: "The web pages that may talk to the server, and read its replies",
  },
  mcpAllowedHosts: {
    name: "MCP_ALLOWED_HOSTS",
    reader: hosts(),
    otherwise: "this machine's own",
    meaning: "The names that the server is reached under",
  },
  mcpAuthMode: {
    name: "MCP_AUTH_MODE",
    reader: oneOf(["jwt", "oauth", "none"]),
    fallback: "none",
    meaning: "Who may call over HTTP: holders of tokens signed with a key, of OAuth tokens, anyone",
  },
  mcpAuthSecretKey: {
    name: "MCP_AUTH_SECRET_KEY",
    reader: secretKey(),
    meaning: "The key of tokens in mode jwt, 32 characters or more",
    secret: true,
  },
  mcpAuthDevBypass: {
    name: "MCP_AUTH_DEV_BYPASS",
    reader: flag(),
    fallback: "false",
    meaning: "Lets anyone in as the development client; on loopback, in development and test only",
  },
  oauthIssuerUrl: {
    name: "OAUTH_ISSUER_URL",
    reader: secureUrl(),
    meaning: "The authorization server, in mode oauth",
  },
  oauthJwksUri: {
    name: "OAUTH_JWKS_URI",
    reader: secureUrl(true),
    otherwise: "found through the issuer",
    meaning: "Where its keys are",
  },
  oauthAudience: {
    name: "OAUTH_AUDIENCE",
    reader: line("an audience of one line", 1_024),
    meaning: "Whom its tokens must be for, in mode oauth",
  },
  devMcpClientId: {
    name: "DEV_MCP_CLIENT_ID",
    reader: line("a client id of one line"),
    fallback: "dev-client-id",
    meaning: "The client of MCP_AUTH_DEV_BYPASS",
  },
  devMcpScopes: {
    name: "DEV_MCP_SCOPES",
    reader: scopes(),
    fallback: "dev-scope",
    meaning: "Its scopes",
  },
};
