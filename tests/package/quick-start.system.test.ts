import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openStage,
  type QuickStartStage,
  type QuickStartStep,
  readQuickStart,
  runQuickStart,
} from "../../scripts/quick-start.js";
import { findInspector } from "../../tools/inspector/run.js";
import { isOffline } from "../../tools/local-registry.js";
import { runBounded } from "../../tools/process.js";
import { ROOT } from "../../tools/source-files.js";
import { connectV2 } from "../../tools/official-clients/v2-client.js";
import { installedPackages } from "../support/installed-packages.js";
import { manifestOf } from "../support/templates.js";

/** Timeout for the first run, which may have to install the Inspector and a Node.js version for it. */
const INSTALL_MS = 900_000;
const COMMAND_MS = 120_000;

const README = readFileSync(`${ROOT}/README.md`, "utf8");

describe("the README's quick start", () => {
  let stage: QuickStartStage | undefined;
  let steps: readonly QuickStartStep[] = [];
  let reason: string | undefined;

  beforeAll(async () => {
    const inspector = await findInspector();
    if (!inspector.ok) reason = inspector.reason;
    else {
      stage = await openStage();
      try {
        steps = await runQuickStart({ ...stage, commands: readQuickStart(README) });
      } catch (error) {
        if (!isOffline(String(error))) throw error;
        reason = "Could not reach the npm registry.";
      }
    }
  }, INSTALL_MS);

  afterAll(async () => {
    await stage?.close();
  }, 120_000);

  test("takes four commands from an empty folder to a tool that the official client calls", (ctx) => {
    if (reason !== undefined) ctx.skip(reason);
    expect(steps.map(({ command }) => command.split(" ").slice(0, 2).join(" "))).toEqual([
      "npm create",
      "cd my-server",
      "npm run",
      "npx @modelcontextprotocol/inspector",
    ]);
    expect(steps.map(({ isRunning }) => isRunning)).toEqual([false, false, true, false]);
    expect(steps.at(-1)?.output).toMatch(/"celsius":\s*19\b/);
  });

  test(
    "creates a project whose production installation contains only what the server needs",
    async (ctx) => {
      if (reason !== undefined || stage === undefined) return ctx.skip(reason);
      const cwd = join(stage.folder, "my-server");
      const { scripts } = manifestOf("minimal");
      expect(scripts["start"]).toBe("node dist/main.js");
      for (const args of [
        ["run", "build"],
        ["ci", "--omit=dev", "--no-audit", "--no-fund"],
      ]) {
        const { ok, output } = await runBounded("npm", args, { cwd, timeoutMs: COMMAND_MS, env: stage.env });
        expect(ok, output).toBe(true);
      }
      expect(installedPackages(cwd)).toEqual(["@standard-schema/spec", "@toon-format/toon", "tenon", "zod"]);
      const program = { command: process.execPath, args: ["dist/main.js"], cwd, stderr: "ignore" } as const;
      const client = await connectV2(
        "auto",
        new StdioClientTransport({ ...program, args: [...program.args] }),
      );
      const { structuredContent } = await client.callTool("forecast", { city: "Riga" });
      expect(structuredContent).toEqual({ celsius: 19 });
      await client.close();
    },
    3 * COMMAND_MS,
  );
});
