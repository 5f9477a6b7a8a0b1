import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTenon, tenonInProcess } from "../../../tests/support/program.js";

const env = { MCP_AUTH_SECRET_KEY: "x".repeat(32) };

describe("with --json, standard output contains only JSON", () => {
  // The module `calculator.mjs` prints text when it is loaded.
  test.each<[readonly string[], string]>([
    [["list", "calculator.mjs"], "tools"],
    [["call", "calculator.mjs", "add", "a=1", "b=2"], "content"],
    [["tokens", "calculator.mjs"], "total"],
    [["doctor", "calculator.mjs"], "findings"],
    [["install", "cursor", "calculator.mjs", "--file", "no/mcp.json", "--dry-run", "--force"], "action"],
    [["uninstall", "cursor", "calculator", "--file", "no/mcp.json", "--dry-run"], "action"],
    [["publish", "calculator.mjs", "--dry-run"], "problems"],
    [["token", "--scope", "a"], "claims"],
  ])("%j", async (args, member) => {
    for (const flags of [["--json"], ["--output", "json"]]) {
      const { stdout } = await tenonInProcess([...args, ...flags], { env });
      expect(JSON.parse(stdout)).toHaveProperty(member);
    }
  });

  test.each<[readonly string[]]>([[["--json"]], [["--output", "json"]], [["--json", "--workers", "1"]]])(
    "run --port 0 %j prints the address when the server is ready",
    async (flags) => {
      const child = startTenon(["run", "calculator.mjs", "--port", "0", ...flags]);
      onTestFinished(() => void child.kill("SIGKILL"));
      child.stderr.resume();
      const lines: string[] = [];
      const output = createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
      await once(output, "line");
      const { url, port } = JSON.parse(lines[0] ?? "") as { readonly url: string; readonly port: number };
      expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
      const { code } = await tenonInProcess(["call", url, "add", "a=1", "b=2"]);
      child.kill("SIGTERM");
      const [ended] = (await once(child, "close")) as [number | null];
      expect({ code, ended, lines: lines.length }).toEqual({ code: 0, ended: 0, lines: 1 });
    },
  );
});
