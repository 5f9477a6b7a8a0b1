import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readQuickStart, runQuickStart } from "../../scripts/quick-start.js";
import { ROOT } from "../../tools/source-files.js";
import { temporaryFolder } from "../support/program.js";

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
  test("shows the file that npm create tenon writes", () => {
    const [, code] =
      /^## Quick start\n[\s\S]*?^```ts\n\/\/ src\/server\.ts\n([\s\S]*?)^```$/m.exec(README) ?? [];
    const file = `${ROOT}/packages/create-tenon/templates/minimal/src/server.ts`;
    expect(code).toBe(readFileSync(file, "utf8").replace("my-mcp-server", "my-server"));
  });
});
