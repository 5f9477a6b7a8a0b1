import { describe, expect, test } from "vitest";
import { configHelp, type ExtraFlag } from "../src/config/flags.js";

const extra: readonly ExtraFlag[] = [
  {
    name: "resource-store-uri",
    kind: "string",
    env: "RESOURCE_STORE_URI",
    description: "Where files are kept",
  },
  { name: "verbose", kind: "boolean", description: "Say more (default false)" },
];

describe("configHelp", () => {
  test("Z5: has every flag with its variable and its default", () => {
    expect(configHelp()).toBe(
      `\
A flag beats its environment variable.

  Flag                       Environment   Meaning
  --stdio                                  Serve on stdin and stdout (default without a port)
  --port <number>            PORT          Serve over HTTP on this port, 0 to 65535; 0 takes any free one
  --host <address>           HOST          Listen on this address (default 127.0.0.1)
  --headless, --no-headless  HEADLESS      Show sign-in addresses instead of opening a browser (default false)
  --redirect-uri <url>       REDIRECT_URI  Where a sign-in returns to: https, or http on loopback; needs a port
  --log-level <level>        LOG_LEVEL     One of debug, info, notice, warning, error, critical, alert, emergency
  --help                                   Show this text`,
    );
  });

  test("the application's own flags stand below, and the columns make room for them", () => {
    const lines = configHelp({ extra }).split("\n");
    expect(lines.slice(-2)).toEqual([
      "  --resource-store-uri <text>  RESOURCE_STORE_URI  Where files are kept",
      "  --verbose, --no-verbose                          Say more (default false)",
    ]);
    expect(lines[2]).toBe("  Flag                         Environment         Meaning");
    expect(new Set(lines.slice(2).map((line) => line.search(/\S+( \S+)*$/)))).toEqual(new Set([51]));
  });

  test("Z3: refuses the declarations that parseConfig refuses", () => {
    expect(() => configHelp({ extra: [...extra, ...extra] })).toThrow(
      new Error("Extra flag --resource-store-uri is declared twice\nExtra flag --verbose is declared twice"),
    );
  });
});
