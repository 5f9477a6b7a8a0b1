/**
 * @fileoverview `parseConfig`: command line and environment, as given, into one checked configuration.
 * @module kit/parse-config
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { isLogLevel, LOG_LEVELS, type LogLevel } from "tenon/protocol";
import type { TransportConfig } from "tenon/node";
import {
  configHelp,
  type ConfigOptions,
  type ExtraFlag,
  type Given,
  listFlags,
  readSettings,
} from "./flags.js";
import { printable } from "@tenon/internal/text";

/** Values of the application's own flags: a boolean is always there, a string where it was given. */
export type ExtraValues<Extra extends readonly ExtraFlag[]> = string extends Extra[number]["name"]
  ? Readonly<Record<string, string | boolean>>
  : {
      readonly [Flag in Extra[number] as Flag["kind"] extends "boolean" ? Flag["name"] : never]: boolean;
    } & {
      readonly [Flag in Extra[number] as Flag["kind"] extends "boolean" ? never : Flag["name"]]?:
        string | ("boolean" extends Flag["kind"] ? boolean : never);
    };

/** Redirect address of a sign-in, in its parts. Plain http is on loopback only. */
export type ParsedRedirectUrl = {
  /** Name and port, as a `Host` header has them. */
  readonly host: string;
  /** The name alone; an IPv6 address keeps its brackets. */
  readonly hostname: string;
  /** The port in use: the protocol's own where the URL has none. */
  readonly port: number;
  readonly pathname: string;
  /** The query with its question mark, or nothing. */
  readonly search: string;
} & (
  | { readonly protocol: "https:"; readonly isLoopback: boolean }
  | { readonly protocol: "http:"; readonly isLoopback: true }
);

/** The configuration of one server process; `serve` takes it as it is. */
export interface ParsedTransportConfig<Extra extends readonly ExtraFlag[] = readonly ExtraFlag[]> {
  /** Exactly one. */
  readonly transport: TransportConfig;
  /** Whether sign-in shows addresses instead of opening a browser. */
  readonly headless: boolean;
  /** The help text, where it was asked for: `serve` shows it and starts nothing. */
  readonly help: string | undefined;
  readonly host?: string;
  readonly logLevel?: LogLevel;
  /** As it was given, since authorization servers compare it letter by letter. */
  readonly redirectUri?: string;
  readonly redirectUrl?: ParsedRedirectUrl;
  /** The transport's port, on HTTP. */
  readonly port?: number;
  readonly extra: ExtraValues<Extra>;
}

/**
 * Reads flags, then the environment for what they leave open, and checks all of it. With `--help` nothing is thrown
 * about either: what is wrong counts as absent.
 *
 * @example parseConfig(process.argv.slice(2), process.env)
 * @throws one `Error` with a line for each problem
 */
export function parseConfig<const Extra extends readonly ExtraFlag[] = readonly []>(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  options: ConfigOptions<Extra> = {},
): ParsedTransportConfig<Extra> {
  const extra = options.extra ?? [];
  const { given, problems: misread } = readSettings(listFlags(extra), args, env);
  const problems = [...misread];
  const isOn = (name: string): boolean => given.get(name)?.value === true;
  const take = <T>(name: string, check: (text: string) => Check<T>): T | undefined => {
    const setting = given.get(name);
    if (typeof setting?.value !== "string") return undefined;
    const outcome = check(setting.value);
    if (outcome.ok) return outcome.value;
    problems.push(`${setting.by} must be ${outcome.must}`);
    return undefined;
  };

  const help = isOn("help") ? configHelp(options) : undefined;
  const transport = checkTransport(isOn("stdio"), given.get("port"));
  if (!transport.ok) problems.push(...transport.problems);
  const host = take("host", checkHost);
  const redirectUrl = take("redirect-uri", checkRedirectUri);
  const logLevel = take("log-level", checkLogLevel);
  const redirect = given.get("redirect-uri");
  if (redirect !== undefined && transport.ok && transport.value.type === "stdio") {
    const way = isOn("stdio") ? "leave --stdio out and give a port" : "give a port (--port or PORT)";
    problems.push(`REDIRECT_URI requires HTTP transport: ${way}, or remove ${redirect.by}`);
  }
  if (problems.length > 0 && help === undefined) throw new Error(problems.join("\n"));

  const chosen: TransportConfig = transport.ok ? transport.value : { type: "stdio" }; // not ok only beside --help
  const isHttp = chosen.type === "http";
  return {
    transport: chosen,
    headless: isOn("headless"),
    help,
    ...(host === undefined ? {} : { host }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(isHttp && redirectUrl !== undefined ? { redirectUri: String(redirect?.value), redirectUrl } : {}),
    ...(isHttp ? { port: chosen.port } : {}),
    extra: extraValues(extra, given) as ExtraValues<Extra>, // made from the declarations that the type is made from
  };
}

type Check<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly must: string };

type TransportCheck =
  | { readonly ok: true; readonly value: TransportConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A port from the environment yields to `--stdio`, unread; one from the command line contradicts it. */
function checkTransport(stdio: boolean, setting: Given | undefined): TransportCheck {
  const isFlag = setting?.by === "--port";
  if (setting === undefined || (stdio && !isFlag)) return { ok: true, value: { type: "stdio" } };
  const problems = stdio ? ["--stdio and --port contradict each other: give one of them"] : [];
  const text = String(setting.value);
  const port = /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    problems.push(`${setting.by} must be a whole number from 0 to 65535, not "${printable(text)}"`);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { type: "http", port } };
}

function checkHost(text: string): Check<string> {
  const isName = /^[\w-]+(\.[\w-]+)*\.?$/.test(text);
  const isIPv6 = /^(?=.*:.*:)[\da-f:.]+(%[\w.-]+)?$/i.test(text);
  if (isName || isIPv6) return { ok: true, value: text };
  return {
    ok: false,
    must: `a host name or an IP address, without port or brackets, not "${printable(text)}"`,
  };
}

function checkLogLevel(text: string): Check<LogLevel> {
  if (isLogLevel(text)) return { ok: true, value: text };
  return { ok: false, must: `one of ${LOG_LEVELS.join(", ")}, not "${printable(text)}"` };
}

/** The text itself stays out of problems: a query or a password may be secret. */
function checkRedirectUri(text: string): Check<ParsedRedirectUrl> {
  // The URL parser repairs what an authorization server, comparing letters, would not: `http:x`, `\`, spaces.
  const url =
    /^https?:\/\/[^/?#\\\s][^#\\\s]*$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") {
    return { ok: false, must: "an absolute http or https URL without credentials or fragment" };
  }
  const { host, hostname, pathname, search } = url;
  const isLoopback = isLoopbackHost(hostname);
  const parts = { host, hostname, pathname, search };
  if (url.protocol === "https:") {
    return { ok: true, value: { ...parts, protocol: "https:", port: Number(url.port || 443), isLoopback } };
  }
  if (!isLoopback) return { ok: false, must: "https, since its host is not loopback" };
  return { ok: true, value: { ...parts, protocol: "http:", port: Number(url.port || 80), isLoopback } };
}

function extraValues(
  extra: readonly ExtraFlag[],
  given: ReadonlyMap<string, Given>,
): Readonly<Record<string, string | boolean>> {
  return Object.fromEntries(
    extra.flatMap(({ name, kind }) => {
      const value = given.get(name)?.value ?? (kind === "boolean" ? false : undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
