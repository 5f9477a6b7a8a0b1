import { describe, expect, test, vi } from "vitest";
import { defineServer } from "tenon";
import { parseConfig } from "../src/index.js";
import { configHelp } from "../src/config/flags.js";
import { serve } from "tenon/node";

describe("serve with the result of parseConfig", () => {
  test("Z7: prints the help text for --help and serves nothing", async () => {
    const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      const running = await serve(
        defineServer({ name: "a", version: "1" }),
        parseConfig(["--help"], { PORT: "0" }),
      );
      expect(printed).toHaveBeenCalledExactlyOnceWith(`${configHelp()}\n`);
      expect(running).toMatchObject({ url: undefined, httpServer: undefined });
      await running.closed;
      await running.close();
    } finally {
      printed.mockRestore();
    }
  });

  test("Z6: listens on the given port", async () => {
    const config = parseConfig(["--port", "0"], {});
    const running = await serve(defineServer({ name: "a", version: "1" }), { ...config, signals: false });
    expect(running.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    await running.close();
  });
});
