import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  openStage,
  type QuickStartStage,
  type QuickStartStep,
  readQuickStart,
  runQuickStart,
} from "../../scripts/quick-start.js";
import { findInspector } from "../../tools/inspector/run.js";
import { isOffline } from "../support/packed-packages.js";
import { temporaryFolder } from "../support/program.js";
import { ROOT } from "../support/source-files.js";

/** Timeout for the first run, which may have to install the Inspector and a Node.js version for it. */
const INSTALL_MS = 900_000;

const README = readFileSync(`${ROOT}/README.md`, "utf8");
const { PATH = "" } = process.env;

describe("the commands of a quick start", () => {
  test("are all shell blocks of the section, without comments", () => {
    const readme = [
      "# Title",
      "```sh",
      "outside",
      "```",
      "## Quick start",
      "```sh",
      "npm create it   # a comment",
      "# only a comment",
      "",
      "cd it",
      "```",
      "```ts",
      "// code",
      "```",
      "```sh",
      "call http://x/#fragment",
      "```",
      "## Other",
      "```sh",
      "outside",
      "```",
      "",
    ].join("\n");
    expect(readQuickStart(readme)).toEqual(["npm create it", "cd it", "call http://x/#fragment"]);
    expect(readQuickStart("## Quick start\n```sh\none\n```")).toEqual(["one"]);
    expect(() => readQuickStart("## Quick start\nNone.\n")).toThrow("does not contain commands");
  });

  test("run in order, in the folder that cd selects, and are timed", async () => {
    const seen: string[] = [];
    const steps = await runQuickStart({
      commands: ["mkdir inner", "cd inner", "pwd"],
      env: { PATH },
      folder: temporaryFolder(),
      onStep: ({ command }) => seen.push(command),
    });
    expect(seen).toEqual(["mkdir inner", "cd inner", "pwd"]);
    expect(steps.at(-1)?.output).toMatch(/\/inner\n$/);
    expect(steps.every(({ seconds }) => seconds >= 0)).toBe(true);
  });

  test("stop at the first command that fails", async () => {
    const folder = temporaryFolder();
    const run = runQuickStart({ commands: ["echo no >&2; exit 3", "touch late"], env: { PATH }, folder });
    await expect(run).rejects.toThrow("The command failed with 3: echo no >&2; exit 3\nno\n");
  });
});

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
    if (reason !== undefined) process.stderr.write(`Skipped the quick start: ${reason}\n`);
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

  test("shows the file that npm create tenon writes", () => {
    const [, code] =
      /^## Quick start\n[\s\S]*?^```ts\n\/\/ src\/server\.ts\n([\s\S]*?)^```$/m.exec(README) ?? [];
    const file = `${ROOT}/packages/create-tenon/templates/minimal/src/server.ts`;
    expect(code).toBe(readFileSync(file, "utf8").replace("my-mcp-server", "my-server"));
  });
});
