import { describe, expect, test } from "vitest";
import { configHelp, type ExtraFlag } from "../src/config/flags.js";

const extra: readonly ExtraFlag[] = [
  {
    name: "resource-store-uri",
    kind: "string",
    env: "RESOURCE_STORE_URI",
    description: "Where files are kept",
  },
  { name: "verbose", kind: "boolean", description: "Say more (default: false)" },
];

describe("configHelp", () => {
  test("Z5: lists every flag with its variable and its default", () => {
    expect(configHelp()).toBe(
      `\
A flag takes precedence over its environment variable.

  Flag                       Environment   Meaning
  --stdio                                  Serve over stdio (default if no port is set)
  --port <number>            PORT          Serve over HTTP on this port, 0 to 65535; 0 picks a free port
  --host <address>           HOST          Address to listen on (default: 127.0.0.1)
  --headless, --no-headless  HEADLESS      Print sign-in URLs instead of opening a browser (default: false)
  --redirect-uri <url>       REDIRECT_URI  Redirect URI for sign-in: https, or http on loopback; requires a port
  --log-level <level>        LOG_LEVEL     One of debug, info, notice, warning, error, critical, alert, emergency
  --help                                   Show this help`,
    );
  });

  test("lists the application's flags last and adjusts the column widths", () => {
    const lines = configHelp({ extra }).split("\n");
    expect(lines.slice(-2)).toEqual([
      "  --resource-store-uri <text>  RESOURCE_STORE_URI  Where files are kept",
      "  --verbose, --no-verbose                          Say more (default: false)",
    ]);
    expect(lines[2]).toBe("  Flag                         Environment         Meaning");
    expect(new Set(lines.slice(2).map((line) => line.search(/\S+( \S+)*$/)))).toEqual(new Set([51]));
  });

  test("Z3: rejects the declarations that parseConfig rejects", () => {
    expect(() => configHelp({ extra: [...extra, ...extra] })).toThrow(
      new Error(
        [
          "Extra flag --resource-store-uri is already defined. Names must be unique.",
          "Extra flag --verbose is already defined. Names must be unique.",
        ].join("\n"),
      ),
    );
  });
});
