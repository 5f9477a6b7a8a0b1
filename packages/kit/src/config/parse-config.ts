/**
 * @fileoverview `parseConfig` parses and validates command-line flags and environment variables.
 * @module kit/config/parse-config
 */
import { OTHER_OPTIONS } from "@tenon/internal/options/define-options";
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
import { isUrl } from "@tenon/internal/security/is-url";

/** Values of the application's flags. Boolean flags are always present; string flags only if they are set. */
export type ExtraValues<Extra extends readonly ExtraFlag[]> = string extends Extra[number]["name"]
  ? Readonly<Record<string, string | boolean>>
  : {
      readonly [Flag in Extra[number] as Flag["kind"] extends "boolean" ? Flag["name"] : never]: boolean;
    } & {
      readonly [Flag in Extra[number] as Flag["kind"] extends "boolean" ? never : Flag["name"]]?:
        string | ("boolean" extends Flag["kind"] ? boolean : never);
    };

/** Parsed redirect URI for sign-in. Plain http is allowed on loopback only. */
export type ParsedRedirectUrl = {
  /** Host name and port, as in a `Host` header. */
  readonly host: string;
  /** Host name only. An IPv6 address keeps its brackets. */
  readonly hostname: string;
  /** Port. @default 443 for https, 80 for http */
  readonly port: number;
  readonly pathname: string;
  /** Query, including the question mark, or an empty string. */
  readonly search: string;
} & (
  | { readonly protocol: "https:"; readonly isLoopback: boolean }
  | { readonly protocol: "http:"; readonly isLoopback: true }
);

/** Server configuration. It can be passed to `serve`. */
export interface ParsedTransportConfig<Extra extends readonly ExtraFlag[] = readonly ExtraFlag[]> {
  /** Transport to serve on. */
  readonly transport: TransportConfig;
  /** True if sign-in prints URLs instead of opening a browser. */
  readonly headless: boolean;
  /** Help text if `--help` is set. `serve` then prints it and does not start a server. */
  readonly help: string | undefined;
  /** Address to listen on. */
  readonly host?: string;
  readonly logLevel?: LogLevel;
  /** Redirect URI exactly as given, because authorization servers compare it literally. */
  readonly redirectUri?: string;
  /** Parsed form of `redirectUri`. */
  readonly redirectUrl?: ParsedRedirectUrl;
  /** HTTP port. Absent over stdio. */
  readonly port?: number;
  /** Values of the application's own flags. */
  readonly extra: ExtraValues<Extra>;
}

/**
 * Parses the flags, reads the environment for absent flags, and validates the result. With `--help`, invalid values are
 * ignored instead of reported.
 *
 * @example parseConfig(process.argv.slice(2), process.env)
 * @throws an `Error` with one line per problem
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
    problems.push(`${setting.by} must be ${outcome.must}.`);
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
    const way = isOn("stdio") ? "omit --stdio and set a port" : "set a port (--port or PORT)";
    problems.push(`REDIRECT_URI requires HTTP transport. Either ${way}, or remove ${redirect.by}.`);
  }
  if (problems.length > 0 && help === undefined) throw new Error(problems.join("\n"));

  const chosen: TransportConfig = transport.ok ? transport.value : { type: "stdio" }; // not ok only with --help
  const isHttp = chosen.type === "http";
  return {
    transport: chosen,
    headless: isOn("headless"),
    help,
    ...(host === undefined ? {} : { host }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(isHttp && redirectUrl !== undefined ? { redirectUri: String(redirect?.value), redirectUrl } : {}),
    ...(isHttp ? { port: chosen.port } : {}),
    extra: extraValues(extra, given) as ExtraValues<Extra>, // Safe: built from the same declarations as the type
    ...NOT_FOR_SERVE,
  };
}

/** Lets `serve` take the whole configuration, and ignore these members. */
const NOT_FOR_SERVE = {
  [OTHER_OPTIONS]: ["headless", "logLevel", "redirectUri", "redirectUrl", "extra"],
} as const;

type Check<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly must: string };

type TransportCheck =
  | { readonly ok: true; readonly value: TransportConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Selects the transport. `--stdio` overrides `PORT`, which is then not validated, but conflicts with `--port`. */
function checkTransport(stdio: boolean, setting: Given | undefined): TransportCheck {
  const isFlag = setting?.by === "--port";
  if (setting === undefined || (stdio && !isFlag)) return { ok: true, value: { type: "stdio" } };
  const problems = stdio ? ["--stdio and --port are mutually exclusive. Use one of them."] : [];
  const text = String(setting.value);
  const port = /^(0|[1-9]\d{0,4})$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    problems.push(`${setting.by} must be an integer from 0 to 65535; got "${printable(text)}".`);
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { type: "http", port } };
}

function checkHost(text: string): Check<string> {
  const isName = /^[\w-]+(\.[\w-]+)*\.?$/.test(text);
  const isIPv6 = /^(?=.*:.*:)[\da-f:.]+(%[\w.-]+)?$/i.test(text);
  if (isName || isIPv6) return { ok: true, value: text };
  return {
    ok: false,
    must: `a host name or an IP address, without port or brackets; got "${printable(text)}"`,
  };
}

function checkLogLevel(text: string): Check<LogLevel> {
  // Most loggers call this level `warn`.
  if (text === "warn") return { ok: true, value: "warning" };
  if (isLogLevel(text)) return { ok: true, value: text };
  return { ok: false, must: `one of ${LOG_LEVELS.join(", ")}; got "${printable(text)}"` };
}

/** Validates a redirect URI. Error messages omit the value, because its query or password may be secret. */
function checkRedirectUri(text: string): Check<ParsedRedirectUrl> {
  // The URL parser repairs `http:x`, backslashes, and spaces, but authorization servers compare the original text.
  const url = /^https?:\/\/[^/?#\\\s][^#\\\s]*$/i.test(text) && isUrl(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") {
    return { ok: false, must: "an absolute http or https URL without credentials or fragment" };
  }
  const { host, hostname, pathname, search } = url;
  const isLoopback = isLoopbackHost(hostname);
  const parts = { host, hostname, pathname, search };
  if (url.protocol === "https:") {
    return { ok: true, value: { ...parts, protocol: "https:", port: Number(url.port || 443), isLoopback } };
  }
  if (!isLoopback) return { ok: false, must: "an https URL (http is allowed on loopback only)" };
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
