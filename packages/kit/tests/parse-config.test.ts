import { describe, expect, expectTypeOf, test } from "vitest";
import { OTHER_OPTIONS } from "@tenon/internal/options/define-options";
import {
  parseConfig,
  type ParsedRedirectUrl,
  type ParsedTransportConfig,
} from "../src/config/parse-config.js";
import { configHelp } from "../src/config/flags.js";
import { LOG_LEVELS, type LogLevel } from "tenon/protocol";
import type { ServeOptions, TransportConfig } from "../../tenon/src/transport/node/serve-options.js";

type Env = Readonly<Record<string, string | undefined>>;
type Good = readonly [args: string, env: Env, differs: Partial<ParsedTransportConfig>];
type Bad = readonly [args: string, env: Env, message: string];

const STDIO = {
  transport: { type: "stdio" },
  headless: false,
  help: undefined,
  extra: {},
  [OTHER_OPTIONS]: ["headless", "logLevel", "redirectUri", "redirectUrl", "extra"],
};
const http = (port: number): Partial<ParsedTransportConfig> => ({ transport: { type: "http", port }, port });
/** Splits a command line at single spaces. */
const split = (line: string): readonly string[] => (line === "" ? [] : line.split(" "));
const redirect = (redirectUri: string, redirectUrl: ParsedRedirectUrl) => ({
  ...http(80),
  redirectUri,
  redirectUrl,
});

const lines = (...problems: readonly string[]): string => problems.join("\n");
const NO_FLAG = (at: number) => `Unexpected argument at position ${at}. Only flags are accepted.`;
const NO_PORT = (by: string, text: string) => `${by} must be an integer from 0 to 65535; got "${text}".`;
const NO_LEVEL = (by: string, text: string) =>
  `${by} must be one of debug, info, notice, warning, error, critical, alert, emergency; got "${text}".`;
const NO_HOST = (by: string, text: string) =>
  `${by} must be a host name or an IP address, without port or brackets; got "${text}".`;
const NO_URL = (by: string) => `${by} must be an absolute http or https URL without credentials or fragment.`;
const NO_TLS = (by: string) => `${by} must be an https URL (http is allowed on loopback only).`;
const BOTH = "--stdio and --port are mutually exclusive. Use one of them.";
const NEEDS_HTTP = (by: string) =>
  `REDIRECT_URI requires HTTP transport. Either set a port (--port or PORT), or remove ${by}.`;

const CALLBACK: ParsedRedirectUrl = {
  protocol: "https:",
  host: "example.com",
  hostname: "example.com",
  port: 443,
  pathname: "/callback",
  search: "",
  isLoopback: false,
};
const LOCAL: ParsedRedirectUrl = {
  protocol: "http:",
  host: "localhost:3000",
  hostname: "localhost",
  port: 3000,
  pathname: "/callback",
  search: "",
  isLoopback: true,
};

const transports: readonly Good[] = [
  ["", {}, {}],
  ["--", {}, {}],
  ["--stdio", {}, {}],
  ["--stdio", { PORT: "3000" }, {}],
  ["--stdio", { PORT: "no number" }, {}],
  ["--port 3000", {}, http(3000)],
  ["--port=3000", {}, http(3000)],
  ["--port 3000 --", {}, http(3000)],
  ["--port 0", {}, http(0)],
  ["--port 1", {}, http(1)],
  ["--port 65535", {}, http(65_535)],
  ["", { PORT: "8080" }, http(8080)],
  ["", { PORT: "0" }, http(0)],
  ["", { PORT: "" }, {}],
  ["", { PORT: undefined }, {}],
  ["--port 3000", { PORT: "8080" }, http(3000)],
  ["--port 3000", { PORT: "no number" }, http(3000)],
];

const settings: readonly Good[] = [
  ["--headless", {}, { headless: true }],
  ["--no-headless", {}, { headless: false }],
  ["", { HEADLESS: "true" }, { headless: true }],
  ["", { HEADLESS: "false" }, { headless: false }],
  ["", { HEADLESS: "" }, { headless: false }],
  ["--no-headless", { HEADLESS: "true" }, { headless: false }],
  ["--headless", { HEADLESS: "false" }, { headless: true }],
  ["--headless", { HEADLESS: "perhaps" }, { headless: true }],
  ["--headless --port 3000", {}, { ...http(3000), headless: true }],
  [
    "--port 80 --redirect-uri https://example.com/callback",
    {},
    redirect("https://example.com/callback", CALLBACK),
  ],
  [
    "",
    { PORT: "80", REDIRECT_URI: "https://example.com/callback" },
    redirect("https://example.com/callback", CALLBACK),
  ],
  ["", { PORT: "80", REDIRECT_URI: "" }, http(80)],
  [
    "--port=80 --redirect-uri=http://localhost:3000/callback",
    { REDIRECT_URI: "https://example.com/callback" },
    redirect("http://localhost:3000/callback", LOCAL),
  ],
  [
    "--port 80 --redirect-uri http://127.0.0.1/a?b=c=d",
    {},
    redirect("http://127.0.0.1/a?b=c=d", {
      protocol: "http:",
      host: "127.0.0.1",
      hostname: "127.0.0.1",
      port: 80,
      pathname: "/a",
      search: "?b=c=d",
      isLoopback: true,
    }),
  ],
  [
    "--port 80 --redirect-uri HTTPS://[::1]:8443",
    {},
    redirect("HTTPS://[::1]:8443", {
      protocol: "https:",
      host: "[::1]:8443",
      hostname: "[::1]",
      port: 8443,
      pathname: "/",
      search: "",
      isLoopback: true,
    }),
  ],
  ["--host 0.0.0.0", {}, { host: "0.0.0.0" }],
  ["--host ::1 --port 1", {}, { ...http(1), host: "::1" }],
  ["--host=fe80::1%eth0", {}, { host: "fe80::1%eth0" }],
  ["", { HOST: "my-host.example.com" }, { host: "my-host.example.com" }],
  ["", { HOST: "" }, {}],
  ["--host localhost", { HOST: "http://bad" }, { host: "localhost" }],
  ...LOG_LEVELS.map((logLevel): Good => [`--log-level ${logLevel}`, {}, { logLevel }]),
  ["", { LOG_LEVEL: "notice" }, { logLevel: "notice" }],
  ["", { LOG_LEVEL: "" }, {}],
  // first-run-d2: `warn` is an alias for `warning`
  ["", { LOG_LEVEL: "warn" }, { logLevel: "warning" }],
  ["--log-level warn", {}, { logLevel: "warning" }],
  ["--log-level=error", { LOG_LEVEL: "verbose" }, { logLevel: "error" }],
  ["", { TOKEN: "x", port: "1", Port: "2", STDIO: "true", HELP: "true" }, {}],
  [
    "--log-level debug --headless --host ::1 --port 3000",
    {},
    { ...http(3000), logLevel: "debug", headless: true, host: "::1" },
  ],
];

const helps: readonly Good[] = [
  ["--help", {}, { help: configHelp() }],
  ["--help --port 3000 --headless", {}, { ...http(3000), headless: true, help: configHelp() }],
  ["--port x --help", {}, { help: configHelp() }],
  ["--port --help", { PORT: "80" }, { help: configHelp() }],
  ["--stdio --port 1 --help", {}, { help: configHelp() }],
  ["--bogus 1 --help", { PORT: "x", LOG_LEVEL: "loud", HOST: "a b", HEADLESS: "1" }, { help: configHelp() }],
  ["--help", { REDIRECT_URI: "https://example.com" }, { help: configHelp() }],
];

const wrongValues: readonly Bad[] = [
  ...["-1", "+1", "65536", "99999999", "1e3", "0x50", "3000.0", "080", "abc", "1_000", "３０００"].map(
    (text): Bad => [`--port ${text}`, {}, NO_PORT("--port", text.replace(/[^\x20-\x7e]/g, "?"))],
  ),
  ["", { PORT: "abc" }, NO_PORT("PORT", "abc")],
  ["", { PORT: " 80" }, NO_PORT("PORT", " 80")],
  ["", { PORT: "80\n" }, NO_PORT("PORT", "80?")],
  ["", { PORT: "9".repeat(50) }, NO_PORT("PORT", `${"9".repeat(40)}...`)],
  ["--port x", { PORT: "80" }, NO_PORT("--port", "x")],
  ["", { HEADLESS: "TRUE" }, 'HEADLESS must be true or false; got "TRUE".'],
  ["", { HEADLESS: "1" }, 'HEADLESS must be true or false; got "1".'],
  ["--log-level verbose", {}, NO_LEVEL("--log-level", "verbose")],
  ["--log-level=INFO", {}, NO_LEVEL("--log-level", "INFO")],
  ["", { LOG_LEVEL: "trace" }, NO_LEVEL("LOG_LEVEL", "trace")],
  ["--host localhost:80", {}, NO_HOST("--host", "localhost:80")],
  ["--host [::1]", {}, NO_HOST("--host", "[::1]")],
  ["", { HOST: "http://a" }, NO_HOST("HOST", "http://a")],
  ...[
    "/callback",
    "example.com",
    "ftp://example.com",
    "http:localhost",
    "https://",
    "https://a:b@example.com",
    "https://user@example.com",
    "https://example.com/#",
    "https:\\\\example.com",
    "https://exa\tmple.com",
    "https://example.com:99999",
  ].map((url): Bad => [`--port 80 --redirect-uri ${url}`, {}, NO_URL("--redirect-uri")]),
  ["", { PORT: "80", REDIRECT_URI: "https://a b" }, NO_URL("REDIRECT_URI")],
  ["--port 80 --redirect-uri http://example.com", {}, NO_TLS("--redirect-uri")],
  ["--port 80", { REDIRECT_URI: "http://127.0.0.1.example.com" }, NO_TLS("REDIRECT_URI")],
  ["--port 80", { REDIRECT_URI: "http://localhost.example.com" }, NO_TLS("REDIRECT_URI")],
];

const wrongFlags: readonly Bad[] = [
  ["--stdio --port 3000", {}, BOTH],
  ["--port=0 --stdio", { PORT: "1" }, BOTH],
  ["--redirect-uri https://example.com", {}, NEEDS_HTTP("--redirect-uri")],
  ["", { REDIRECT_URI: "https://example.com" }, NEEDS_HTTP("REDIRECT_URI")],
  [
    "--stdio",
    { PORT: "80", REDIRECT_URI: "https://example.com" },
    "REDIRECT_URI requires HTTP transport. Either omit --stdio and set a port, or remove REDIRECT_URI.",
  ],
  ["--verbose", {}, "Unknown flag --verbose. Use --help to list the flags."],
  ["--token=hunter2", {}, "Unknown flag --token. Use --help to list the flags."],
  ["--token hunter2", {}, "Unknown flag --token. Use --help to list the flags."],
  ["--token -hunter2", {}, "Unknown flag --token. Use --help to list the flags."],
  ["--no-stdio", {}, "Unknown flag --no-stdio. Use --help to list the flags."],
  ["--no-help", {}, "Unknown flag --no-help. Use --help to list the flags."],
  ["--no-port", {}, "Unknown flag --no-port. Use --help to list the flags."],
  ["--Port=1", {}, "Unknown flag --Port. Use --help to list the flags."],
  ["-p 3000", {}, "Unknown flag -p. Use --help to list the flags."],
  ["--=x", {}, "Unknown flag --. Use --help to list the flags."],
  ["--constructor", {}, "Unknown flag --constructor. Use --help to list the flags."],
  ["--\u001b[2J\n", {}, "Unknown flag --?[2J?. Use --help to list the flags."],
  ["--port 1 --port 1", {}, "--port can be given only once."],
  ["--stdio --stdio --stdio", {}, "--stdio can be given only once."],
  ["--headless --no-headless", {}, "--headless or --no-headless can be given only once."],
  ["--help=yes", {}, "--help does not take a value. Use --help."],
  ["--stdio=", {}, "--stdio does not take a value. Use --stdio."],
  ["--headless=false", {}, "--headless does not take a value. Use --headless or --no-headless."],
  ["--no-headless=true", {}, "--no-headless does not take a value. Use --headless or --no-headless."],
  ["--headless false", {}, NO_FLAG(2)],
  ["--port", {}, "--port requires a value."],
  ["--port=", { PORT: "80" }, "--port requires a value."],
  ["--port ", {}, "--port requires a value."],
  ["--port --headless", {}, "--port requires a value."],
  ["--port --", {}, "--port requires a value."],
  ["hunter2", {}, NO_FLAG(1)],
  ["-", {}, NO_FLAG(1)],
  ["a=b", {}, NO_FLAG(1)],
  ["-- --help", {}, NO_FLAG(2)],
];

const several: readonly Bad[] = [
  ["--stdio --port x", {}, lines(BOTH, NO_PORT("--port", "x"))],
  ["--port x --redirect-uri y", {}, lines(NO_PORT("--port", "x"), NO_URL("--redirect-uri"))],
  ["--redirect-uri y", {}, lines(NO_URL("--redirect-uri"), NEEDS_HTTP("--redirect-uri"))],
  ["-- --stdio --", {}, lines(NO_FLAG(2), NO_FLAG(3))],
  [
    "--bogus --host a:b left",
    { PORT: "x", LOG_LEVEL: "loud", HEADLESS: "2", REDIRECT_URI: "http://example.com" },
    lines(
      "Unknown flag --bogus. Use --help to list the flags.",
      NO_FLAG(4),
      'HEADLESS must be true or false; got "2".',
      NO_PORT("PORT", "x"),
      NO_HOST("--host", "a:b"),
      NO_TLS("REDIRECT_URI"),
      NO_LEVEL("LOG_LEVEL", "loud"),
    ),
  ],
];

describe("parseConfig: valid input", () => {
  test.each(transports)("Z4, Z6, Z7: %j with %j has exactly one transport", (line, env, differs) => {
    expect(parseConfig(split(line), env)).toStrictEqual({ ...STDIO, ...differs });
  });

  test.each(settings)("Z5, Z7: %j with %j is read", (line, env, differs) => {
    expect(parseConfig(split(line), env)).toStrictEqual({ ...STDIO, ...differs });
  });

  test.each(helps)("%j with %j returns help, even if other values are invalid", (line, env, differs) => {
    expect(parseConfig(split(line), env)).toStrictEqual({ ...STDIO, ...differs });
  });
});

describe("parseConfig: invalid input", () => {
  test.each(wrongValues)("Z3, Z7: %j with %j has an invalid value", (line, env, message) => {
    expect(messageOf(line, env)).toBe(message);
  });

  test.each(wrongFlags)("Z3, Z7: %j with %j is an invalid command line", (line, env, message) => {
    expect(messageOf(line, env)).toBe(message);
  });

  test.each(several)("Z3: reports all problems of %j with %j together", (line, env, message) => {
    expect(messageOf(line, env)).toBe(message);
  });
});

describe("parseConfig: its types", () => {
  test("Z4, Z5, Z38: the result matches the requirements", () => {
    expectTypeOf(parseConfig([], {})).toExtend<ParsedTransportConfig>();
    expectTypeOf<ParsedTransportConfig["transport"]>().toEqualTypeOf<TransportConfig>();
    expectTypeOf<ParsedTransportConfig["headless"]>().toEqualTypeOf<boolean>();
    expectTypeOf<ParsedTransportConfig["logLevel"]>().toEqualTypeOf<LogLevel | undefined>();
    expectTypeOf<ParsedTransportConfig["redirectUrl"]>().toEqualTypeOf<ParsedRedirectUrl | undefined>();
    expectTypeOf<ParsedTransportConfig["port"]>().toEqualTypeOf<number | undefined>();
    const { transport } = parseConfig(["--port", "3000"], {});
    if (transport.type === "http") expectTypeOf(transport.port).toEqualTypeOf<number>();
    // @ts-expect-error: stdio has no port
    else expect(transport.port).toBeUndefined();
    expect(Array.isArray(transport)).toBe(false);
  });

  test("Z38: plain http implies loopback", () => {
    const { redirectUrl } = parseConfig(["--port=1", "--redirect-uri=http://localhost"], {});
    if (redirectUrl?.protocol === "http:") expectTypeOf(redirectUrl.isLoopback).toEqualTypeOf<true>();
    expect(redirectUrl?.isLoopback).toBe(true);
  });

  test("Z2, Z4: arguments and environment are required; serve accepts the result", () => {
    expectTypeOf(parseConfig).toBeCallableWith(process.argv, process.env);
    // @ts-expect-error: globals are never read instead
    expect(() => parseConfig()).toThrow();
    const options: ServeOptions<undefined> = parseConfig(["--port", "3000"], {});
    expect(options.transport).toStrictEqual({ type: "http", port: 3000 });
  });
});

function messageOf(line: string, env: Env): string {
  try {
    parseConfig(split(line), env);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("expected an error");
}
