import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REVISIONS } from "tenon/protocol";
import { describe, expect, test } from "vitest";
import { createBashScript } from "../../src/completions/bash.js";
import { createFishScript } from "../../src/completions/fish.js";
import { CLIENTS } from "../../src/install/clients.js";
import { isPlainWord, toCompletedCommands } from "../../src/completions/model.js";
import { createZshScript } from "../../src/completions/zsh.js";
import { fixtures, temporaryFolder, tenonInProcess } from "../../../../tests/support/program.js";
import { COMMANDS, hostileCommand } from "../support/completions/commands.js";
import {
  findShell,
  type ShellName,
  suggestInBash,
  suggestInFish,
  typeInShell,
  writeScript,
} from "../support/completions/shells.js";

const SHELLS: Readonly<Record<ShellName, string | undefined>> = {
  bash: await findShell("bash"),
  zsh: await findShell("zsh"),
  fish: await findShell("fish"),
};

const CREATE = { bash: createBashScript, zsh: createZshScript, fish: createFishScript };
const NAMES = COMMANDS.map(({ name }) => name);
const completed = toCompletedCommands(COMMANDS, { completesTools: false });
const SCRIPTS: Readonly<Record<ShellName, string>> = {
  bash: writeScript("bash", createBashScript(completed)),
  zsh: writeScript("zsh", createZshScript(completed)),
  fish: writeScript("fish", createFishScript(completed)),
};

/** Line, and the suggestions for its last word. `undefined` means file names. */
const CASES: readonly (readonly [line: string, words: readonly string[] | undefined])[] = [
  ["tenon ", [...NAMES, "help"]],
  ["tenon pro", ["prompt"]],
  ["tenon tok", ["token", "tokens"]],
  ["tenon nothing", []],
  ["tenon help re", ["read"]],
  ["tenon list --out", ["--output"]],
  ["tenon list --output ", ["text", "json"]],
  ["tenon list --output j", ["json"]],
  ["tenon list --json --output j", ["json"]],
  ["tenon list --revision ", REVISIONS],
  ["tenon list --bearer-env TENON_TEST", ["TENON_TEST_VARIABLE"]],
  ["tenon list --timeout ", []],
  ["tenon tokens --sort ", ["tokens", "name"]],
  ["tenon token --algorithm HS", ["HS256", "HS384", "HS512"]],
  ["tenon completions ", ["bash", "zsh", "fish"]],
  ["tenon install ", CLIENTS.map(({ name }) => name)],
  ["tenon uninstall goo", ["goose"]],
  ["tenon completions --tools z", ["zsh"]],
  ["tenon completions bash ", []],
  ["tenon call http://127.0.0.1:3000/mcp ", []],
  ["tenon nothing --out", []],
];

const FILE_LINES = [
  "tenon list ser",
  "tenon run ser",
  "tenon call ser",
  "tenon list --server ser",
  "tenon list -s ser",
];

describe.skipIf(SHELLS.bash === undefined)("bash", () => {
  const suggest = (line: string, script = SCRIPTS.bash) => suggestInBash(SHELLS.bash ?? "", script, line);

  test.each(CASES)("suggests for %j", async (line, words) => {
    const expected = line === "tenon " ? [...(words ?? []), "--help", "--version"] : words;
    expect(await suggest(line)).toEqual(expected);
  });

  test.each([
    ["tenon list --output=", ["text", "json"]],
    ["tenon list --output=j", ["json"]],
    ["tenon call --server=x.ts --output=j", ["json"]],
    ["tenon list --json --js", []],
    ["tenon list --header a --head", ["--header"]],
    ["tenon list -- nothing-like-this", []],
  ])("suggests for %j", async (line, words) => {
    expect(await suggest(line)).toEqual(words);
  });

  test("suggests every flag of every command", async () => {
    for (const { name, args } of COMMANDS) {
      const flags = Object.entries(args).filter(([, { type }]) => type !== "positional");
      expect(await suggest(`tenon ${name} --`)).toEqual([...flags.map(([flag]) => `--${flag}`), "--help"]);
    }
  });
});

describe.skipIf(SHELLS.fish === undefined)("fish", () => {
  const suggest = (line: string, script = SCRIPTS.fish) => suggestInFish(SHELLS.fish ?? "", script, line);

  test.each(CASES)("suggests for %j", async (line, words) => {
    const found = [...(await suggest(line)).keys()];
    expect(found.toSorted()).toEqual([...(words ?? [])].toSorted());
  });

  test("shows descriptions", async () => {
    expect(await suggest("tenon lis")).toEqual(
      new Map([["list", "List a server's tools with their arguments, its resources, and its prompts"]]),
    );
    expect((await suggest("tenon list --out")).get("--output")).toMatch(/^Output format \(default: text\)/);
  });

  test("suggests every flag of every command", async () => {
    for (const { name, args } of COMMANDS) {
      const flags = Object.entries(args).filter(([, { type }]) => type !== "positional");
      expect([...(await suggest(`tenon ${name} --`)).keys()].toSorted()).toEqual(
        [...flags.map(([flag]) => `--${flag}`), "--help"].toSorted(),
      );
    }
  });
});

describe.each<ShellName>(["bash", "zsh", "fish"])("an interactive %s", (name) => {
  const shell = SHELLS[name] ?? "";
  const isMissing = SHELLS[name] === undefined;

  function folder(): string {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "server-file.ts"), "");
    mkdirSync(join(cwd, "other"));
    return cwd;
  }

  test.skipIf(isMissing).each([
    ["lis\t--outp\tj\t", ["list", "--output", "json"]],
    ["prom\tser\t", ["prompt", "server-file.ts"]],
    ["tokens --so\tna\t", ["tokens", "--sort", "name"]],
    ["completions z\t", ["completions", "zsh"]],
    ["list --bearer-env TENON_TE\t", ["list", "--bearer-env", "TENON_TEST_VARIABLE"]],
    ["help tokens\t", ["help", "tokens"]],
    ["token --alg\tHS5\t", ["token", "--algorithm", "HS512"]],
    ["install cur\tser\t", ["install", "cursor", "server-file.ts"]],
    ["call server-file.ts add a=1 --verb\t", ["call", "server-file.ts", "add", "a=1", "--verbose"]],
    ["call --server server-file.ts add --verb\t", ["call", "--server", "server-file.ts", "add", "--verbose"]],
    ["list -- unam\t", ["list", "--", "uname"]],
  ])("completes %j", async (keys, args) => {
    const typed = await typeInShell({ shell, name, script: SCRIPTS[name], cwd: folder(), keys });
    expect(typed.args).toEqual(args);
  });

  test.skipIf(isMissing).each(FILE_LINES)("completes the file in %j", async (line) => {
    const keys = `${line.slice("tenon ".length)}\t`;
    const typed = await typeInShell({ shell, name, script: SCRIPTS[name], cwd: folder(), keys });
    expect(typed.args).toEqual([...line.split(" ").slice(1, -1), "server-file.ts"]);
  });

  test.skipIf(isMissing).each([
    ["call calculator.mjs reg\t", ["call", "calculator.mjs", "regional"]],
    ["call --server calculator.mjs reg\t", ["call", "--server", "calculator.mjs", "regional"]],
    ["call -s calculator.mjs --json reg\t", ["call", "-s", "calculator.mjs", "--json", "regional"]],
    ["call nowhere.mjs reg\t", ["call", "nowhere.mjs", "reg"]],
  ])("completes the tools of a module on request: %j", async (keys, args) => {
    const commands = toCompletedCommands(COMMANDS, { completesTools: true });
    const script = writeScript(name, CREATE[name](commands));
    const typed = await typeInShell({ shell, name, script, cwd: fixtures(), keys });
    expect(typed.args).toEqual(args);
  });

  test.skipIf(isMissing)("does not load a module without --tools", async () => {
    const cwd = folder();
    writeFileSync(
      join(cwd, "server-file.mjs"),
      'import { writeFileSync } from "node:fs"; writeFileSync("loaded", "");',
    );
    const keys = "call server-file.mjs a\t";
    const typed = await typeInShell({ shell, name, script: SCRIPTS[name], cwd, keys });
    expect(typed.args).toEqual(["call", "server-file.mjs", "a"]);
    expect(existsSync(join(cwd, "loaded"))).toBe(false);
  });

  test.skipIf(isMissing)("shows hostile descriptions as text, and runs nothing", async () => {
    const cwd = folder();
    const marker = join(cwd, "marker");
    const commands = toCompletedCommands([hostileCommand(marker)], { completesTools: true });
    const script = writeScript(name, CREATE[name](commands));
    for (const keys of [
      "hos\t--pl\t",
      "hostile --mode \t",
      "hostile --in\tx",
      "hostile cur\t",
      "hostile --\thelp",
    ]) {
      const { args } = await typeInShell({ shell, name, script, cwd, keys });
      expect(args[0]).toBe("hostile");
      expect(args.slice(1).join(" ")).toMatch(/^(?:--plain|--mode safe|--input x|cursor|--help)$/);
    }
    expect(existsSync(marker)).toBe(false);
  });
});

test.skipIf(SHELLS.zsh === undefined)("zsh also loads the script from a folder in fpath", async () => {
  const [shell, script] = [SHELLS.zsh ?? "", SCRIPTS.zsh];
  const options = { shell, name: "zsh", script, cwd: temporaryFolder(), isAutoloaded: true } as const;
  const { args } = await typeInShell({ ...options, keys: "lis\t--outp\tj\t" });
  expect(args).toEqual(["list", "--output", "json"]);
});

describe("what is completed", () => {
  test("flags, values, and arguments come from the definitions", () => {
    const list = completed.find(({ name }) => name === "list");
    expect(list?.flags.find(({ name }) => name === "server")).toEqual({
      name: "server",
      short: "s",
      description: "Server: a module (file.ts or file.ts:export), or an http or https URL",
      values: { kind: "files" },
      isRepeatable: false,
    });
    expect(list?.flags.find(({ name }) => name === "header")?.isRepeatable).toBe(true);
    expect(list?.flags.find(({ name }) => name === "json")?.values).toBeUndefined();
    expect(list?.positionals).toEqual([{ name: "target", values: { kind: "files" } }]);
  });

  test("names of tools are completed only on request", () => {
    const toolOf = (completesTools: boolean) =>
      toCompletedCommands(COMMANDS, { completesTools }).find(({ name }) => name === "call")?.positionals[1];
    expect(toolOf(false)).toEqual({ name: "tool", values: { kind: "none" } });
    expect(toolOf(true)).toEqual({ name: "tool", values: { kind: "tools" } });
  });

  test.each([
    ["claude-code", true],
    ["2025-11-25", true],
    ["a.b/c@d+e_f", true],
    ["", false],
    ["-x", false],
    ["a b", false],
    ["$(x)", false],
    ["`x`", false],
    ["a;b", false],
    ["ä", false],
    ["a\nb", false],
  ])("%j is a plain word: %s", (word, expected) => {
    expect(isPlainWord(word)).toBe(expected);
  });

  test("a flag that is on by default is also completed in its negative form", () => {
    const [command] = toCompletedCommands(
      [
        {
          ...hostileCommand("x"),
          args: { color: { type: "boolean", default: true, description: "Colors" } },
        },
      ],
      { completesTools: false },
    );
    expect(command?.flags.map(({ name, description }) => [name, description])).toEqual([
      ["color", "Colors"],
      ["no-color", "Turn off --color"],
      ["help", "Show the help text"],
    ]);
  });
});

describe("tenon completions", () => {
  test.each(["bash", "zsh", "fish"])(
    "prints a script for %s with every command in the help text",
    async (shell) => {
      const { code, stdout, stderr } = await tenonInProcess(["completions", shell]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { stdout: help } = await tenonInProcess(["--help"]);
      const [, list = ""] = /^COMMANDS\n\n(.*?)\n\n/ms.exec(help) ?? [];
      const names = list.split("\n").map((line) => line.trim().split(" ")[0] ?? "");
      expect(names).toContain("completions");
      for (const name of names) expect(stdout).toContain(name);
    },
  );

  test.each([
    [["completions"], "tenon completions requires the argument <shell>. Pass bash, zsh, fish."],
    [["completions", "bsh"], 'The shell must be one of bash, zsh, fish; got "bsh". Did you mean bash?'],
    [["completions", "constructor"], 'The shell must be one of bash, zsh, fish; got "constructor".'],
    [["completions", "bash", "--list-tools", "x"], "--list-tools does not take a shell."],
  ])("%j is reported", async (args, problem) => {
    expect(await tenonInProcess(args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\nRun tenon completions --help for usage.\n`,
    });
  });

  test("lists the tools of a module, and nothing else", async () => {
    const { code, stdout } = await tenonInProcess(["completions", "--list-tools", "calculator.mjs"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "add\necho\nfail\nsteps\nwait\nregional\npicture\n",
    });
  });

  test.each(["broken.mjs", "nowhere.mjs", "http://127.0.0.1:9/mcp", "http:127.0.0.1:9", "."])(
    "lists nothing for %s, and does not fail",
    async (target) => {
      expect(await tenonInProcess(["completions", "--list-tools", target])).toEqual({
        code: 0,
        stdout: "",
        stderr: "",
      });
    },
  );

  test("does not wait long for a module that does not finish loading", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "slow.mjs"), "await new Promise((resolve) => setTimeout(resolve, 600_000));");
    const ended = await tenonInProcess(["completions", "--list-tools", "slow.mjs"], { cwd: folder });
    expect(ended).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
