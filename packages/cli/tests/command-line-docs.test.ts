import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createTenon, temporaryFolder, tenonInProcess } from "../../../tests/support/program.js";
import { ROOT } from "../../../tools/source-files.js";

const page = readFileSync(`${ROOT}/docs/command-line.md`, "utf8");

/** Returns the text of a section, without its heading. */
function section(heading: string): string {
  const [, text] = page.split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`docs/command-line.md has no section "${heading}".`);
  return text.split("\n## ")[0] ?? "";
}

/** Returns the rows of tables whose first cell is code, as lists of cells. A cell can contain an escaped `|`. */
function rowsOf(text: string): readonly (readonly string[])[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
}

const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => flag);
const sorted = (flags: Iterable<string>) => [...new Set(flags)].toSorted();

/** Returns the flags that a help text lists. */
function flagsInHelp(help: string): readonly string[] {
  return [...help.matchAll(/^ +(?:-\w, )?(--[a-z][\w-]*)(?:=<.*?>)? {4}/gm)].map(([, flag = ""]) => flag);
}

const { stdout: rootHelp } = await tenonInProcess(["--help"]);
const commands = [...rootHelp.matchAll(/^ +([a-z]+) {4}/gm)].map(([, name = ""]) => name);
const byCommand = new Map(
  rowsOf(section("Flags by command")).map(([name = "", flags = ""]) => [name, flags]),
);
const shared = rowsOf(section("Flags for commands that connect to a server"))
  .flatMap(([flags = ""]) => flagsIn(flags))
  .filter((flag) => !["--args", "--answer"].includes(flag));

describe("docs/command-line.md", () => {
  test("lists every command, in the order of the help text", () => {
    const names = commands.map((name) => `\`tenon ${name}\``);
    expect(names.length).toBeGreaterThan(10);
    expect([...byCommand.keys()]).toEqual(names);
    const overview = page.slice(0, page.indexOf("\n## "));
    expect(rowsOf(overview).map(([name]) => name)).toEqual(names);
  });

  test.each(commands)("lists exactly the flags of tenon %s", async (name) => {
    const { stdout } = await tenonInProcess([name, "--help"]);
    const flags = byCommand.get(`\`tenon ${name}\``) ?? "";
    const documented = [...flagsIn(flags), ...(/shared flags/i.test(flags) ? shared : []), "--help"];
    expect(sorted(documented)).toEqual(sorted(flagsInHelp(stdout)));
  });

  test.each(["run", "token"])("describes exactly the flags of tenon %s in its section", async (name) => {
    const { stdout } = await tenonInProcess([name, "--help"]);
    const [, heading = ""] = new RegExp(`^## (\`tenon ${name}\`: .+)$`, "m").exec(page) ?? [];
    const described = rowsOf(section(heading)).flatMap(([flags = ""]) => flagsIn(flags));
    expect(sorted([...described, "--help"])).toEqual(sorted(flagsInHelp(stdout)));
  });

  test("describes exactly the flags of npm create tenon", async () => {
    const { stdout } = await createTenon(["--help"], { cwd: temporaryFolder() });
    const rows = rowsOf(section("`npm create tenon`: start a project"));
    const described = rows.flatMap(([flags = ""]) => flagsIn(flags));
    expect(sorted(described)).toEqual(sorted(flagsInHelp(stdout)));
  });
});
