/**
 * @fileoverview Rejects misspelled and invalid HTTP options when an endpoint is created. A misspelled `authorization`
 * would otherwise leave the endpoint open.
 * @module transport/http/check-options
 */
import { showValue } from "@tenon/internal/kind-of";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { StreamBounds } from "../../session/event-stream.js";
import type { SessionBounds } from "../../session/session-store.js";
import { assertLimits } from "../check-limits.js";
import type { HttpOptions } from "./options.js";

/** Names of the HTTP options. */
export const HTTP_OPTION_NAMES: Readonly<Record<keyof HttpOptions<unknown>, true>> = {
  allowedHosts: true,
  allowedOrigins: true,
  corsOrigins: true,
  legacy: true,
  legacySse: true,
  sessions: true,
  trustedProxies: true,
  store: true,
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

/** Names that users try, and the option that they mean. */
export const HTTP_OPTION_ALIASES: Readonly<Record<string, string>> = {
  auth: "authorization",
  authorize: "authorization",
  authentication: "authenticate",
  middleware: "authenticate",
  hosts: "allowedHosts",
  origins: "allowedOrigins",
  cors: "corsOrigins",
  stateless: "legacy",
  sse: "legacySse",
  session: "sessions",
  maxBytes: "limits",
  maxSessions: "sessions",
  maxSessionsPerPrincipal: "sessions",
  proxies: "trustedProxies",
  trustProxy: "trustedProxies",
  ctx: "context",
};

const SESSION_NAMES: OptionNames<SessionBounds> = {
  idleMs: true,
  maxSessions: true,
  maxSessionsPerPrincipal: true,
  streams: true,
  maxKeptPerSession: true,
  maxKept: true,
};

const STREAM_NAMES: OptionNames<StreamBounds> = { maxEvents: true, maxLength: true };

/**
 * Asserts that the values of HTTP options are valid. The names of the options are not checked.
 *
 * @throws {TypeError} that starts with `label` and names the option, the value, and the fix
 */
export function assertHttpValues(options: HttpOptions<unknown>, label: string): void {
  assertLimits(options.limits, label);
  const { sessions } = options;
  if (sessions !== undefined) {
    assertKnownOptions(sessions, { label: `${label}: \`sessions\``, names: SESSION_NAMES });
    if (sessions.streams !== undefined) {
      assertKnownOptions(sessions.streams, { label: `${label}: \`sessions.streams\``, names: STREAM_NAMES });
    }
  }
  for (const problem of listProblems(options)) throw new TypeError(`${label}: ${problem}`);
}

/** Asserts that every option is known and valid. @throws {TypeError} that starts with `label` */
export function assertHttpOptions(options: HttpOptions<unknown>, label: string): void {
  assertKnownOptions(options, { label, names: HTTP_OPTION_NAMES, aliases: HTTP_OPTION_ALIASES });
  assertHttpValues(options, label);
}

const NUMBERS = [
  "streamAfterMs",
  "keepAliveMs",
  "retryMs",
  "maxQueueBytes",
  "writeTimeoutMs",
  "maxResponseBytes",
  "maxRequestBytes",
  "maxCallsPerConnection",
] as const satisfies readonly (keyof HttpOptions<unknown>)[];

function* listProblems(options: HttpOptions<unknown>) {
  const { allowedHosts, allowedOrigins, corsOrigins, legacy, authorization, authenticate } = options as Loose;
  yield* listSessionProblems(options);
  if (allowedHosts !== undefined && !isTexts(allowedHosts))
    yield `\`allowedHosts\` must be an array of host names; got ${showValue(allowedHosts)}.`;
  if (allowedOrigins !== undefined && !isTexts(allowedOrigins))
    yield `\`allowedOrigins\` must be an array of origins or host names; got ${showValue(allowedOrigins)}.`;
  if (corsOrigins !== undefined && corsOrigins !== "*" && !isTexts(corsOrigins))
    yield `\`corsOrigins\` must be "*" or an array of origins; got ${showValue(corsOrigins)}.`;
  if (legacy !== undefined && legacy !== "stateful" && legacy !== "stateless")
    yield `\`legacy\` must be "stateful" or "stateless"; got ${showValue(legacy)}.`;
  if (authenticate !== undefined && typeof authenticate !== "function")
    yield `\`authenticate\` must be a function; got ${showValue(authenticate)}.`;
  if (authorization !== undefined && !isAuthorization(authorization))
    yield "`authorization` must be an object with the functions `authenticate` and `challenge`. " +
      "Create it with `createAuthorization` from `@tenon/auth`.";
  for (const name of NUMBERS) {
    const value: unknown = options[name];
    if (value !== undefined && !(typeof value === "number" && value >= 0))
      yield `\`${name}\` must be a non-negative number${unitOf(name)}; got ${showValue(value)}.`;
  }
}

function* listSessionProblems({ sessions, trustedProxies }: HttpOptions<unknown>) {
  for (const name of ["maxSessions", "maxSessionsPerPrincipal"] as const) {
    const value: unknown = sessions?.[name];
    if (value !== undefined && !(isWhole(value) && value >= 1))
      yield `\`sessions.${name}\` must be a positive integer; got ${showValue(value)}.`;
  }
  if (trustedProxies !== undefined && !(isWhole(trustedProxies) && trustedProxies <= MAX_PROXIES))
    yield `\`trustedProxies\` must be the number of proxies in front of the server, ` +
      `from 0 to ${MAX_PROXIES}; got ${showValue(trustedProxies)}.`;
}

const MAX_PROXIES = 32;

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Returns the unit that an option's name ends with, in parentheses. */
function unitOf(name: string): string {
  if (name.endsWith("Ms")) return " (milliseconds)";
  return name.endsWith("Bytes") ? " (bytes)" : "";
}

/** Options from a JavaScript caller. */
type Loose = Readonly<Partial<Record<keyof HttpOptions<unknown>, unknown>>>;

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isAuthorization(value: unknown): boolean {
  const { authenticate, challenge } = (value ?? {}) as { authenticate?: unknown; challenge?: unknown };
  return typeof authenticate === "function" && typeof challenge === "function";
}
