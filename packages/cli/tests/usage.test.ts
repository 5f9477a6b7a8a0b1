import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../tools/source-files.js";
import { tenonInProcess } from "../../../tests/support/program.js";

const { version } = JSON.parse(readFileSync(`${ROOT}/packages/cli/package.json`, "utf8")) as {
  version: string;
};
const COMMANDS = [
  "dev",
  "run",
  "inspect",
  "list",
  "call",
  "read",
  "prompt",
  "tokens",
  "doctor",
  "install",
  "uninstall",
  "bundle",
  "publish",
  "token",
  "completions",
];
const see = (command = "") => `Run tenon${command === "" ? "" : ` ${command}`} --help for usage.\n`;

describe("help", () => {
  test.each([["--version"], ["-v"]])("%s prints the package version", async (flag) => {
    expect(await tenonInProcess([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("prints the help text to stderr without a command", async () => {
    const { code, stdout, stderr } = await tenonInProcess([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`USAGE tenon [OPTIONS] ${COMMANDS.join("|")}`);
  });

  test.each([[["--help"]], [["-h"]], [["help"]]])("%j lists every command", async (args) => {
    const { code, stdout, stderr } = await tenonInProcess(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^ +${name} {4}`, "m"));
    expect(stdout).toMatch(/^ +-h, --help {4}Show this help text$/m);
    expect(stdout).toMatch(/^ +-v, --version {4}Show the version$/m);
  });

  test.each(COMMANDS)("tenon %s --help ends its flags with --help", async (name) => {
    const { code, stdout, stderr } = await tenonInProcess([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ +-h, --help {4}Show this help text\n\nExamples\n/m);
    // The renderer's own style for defaults.
    expect(stdout).not.toContain("(Default:");
  });

  test("one wording describes the server in all commands", async () => {
    const url = "Server: a module (file.ts or file.ts:export), or an http or https URL";
    for (const name of ["list", "call", "read", "prompt", "tokens", "install"])
      expect((await tenonInProcess([name, "--help"])).stdout).toContain(`  TARGET    ${url}\n`);
    for (const name of ["run", "bundle"])
      expect((await tenonInProcess([name, "--help"])).stdout).toContain(
        "  FILE    Server: a module (file.ts or file.ts:export) (Required)\n",
      );
  });

  test.each([
    ["run", "USAGE tenon run [OPTIONS] <FILE>", "--port=<number>"],
    ["list", "USAGE tenon list [OPTIONS] [TARGET]", "--bearer-env=<variable>"],
    ["call", "USAGE tenon call [OPTIONS] [TARGET] <TOOL> [NAME=VALUE…]", "--args=<object>"],
    ["read", "USAGE tenon read [OPTIONS] [TARGET] <URI>", "--bearer-env=<variable>"],
    ["prompt", "USAGE tenon prompt [OPTIONS] [TARGET] <NAME> [NAME=VALUE…]", "--args=<object>"],
    ["token", "USAGE tenon token --scope <SCOPES> [OPTIONS]", "--output=<text|json>"],
    ["bundle", "USAGE tenon bundle [OPTIONS] <FILE>", "(default: dist)"],
    ["publish", "USAGE tenon publish [OPTIONS] [FILE]", "--no-npm    Leave out the npm package"],
  ])("tenon %s --help shows its flags and examples, without colors in a pipe", async (name, usage, flag) => {
    const { code, stdout } = await tenonInProcess([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(usage);
    expect(stdout).toContain(flag);
    expect(stdout).toContain(`\nExamples\n\n  tenon ${name} `);
    expect(stdout).not.toContain("\u001b");
    expect((await tenonInProcess(["help", name])).stdout).toBe(stdout);
  });
});

describe("an invalid command line is reported in one line, with exit code 2", () => {
  test.each<[readonly string[], string, string]>([
    [["rnu"], 'Unknown command "rnu". Did you mean run?', ""],
    [["frobnicate"], 'Unknown command "frobnicate".', ""],
    [["constructor"], 'Unknown command "constructor".', ""],
    [["\u001b[31mred"], 'Unknown command "[31mred".', ""],
    [["--hlep"], "Unknown flag --hlep. Did you mean --help?", ""],
    [["run", "x.ts", "--prot", "3"], "Unknown flag --prot. Did you mean --port?", "run"],
    [["run", "x.ts", "--no-port"], "Unknown flag --no-port. Did you mean --port?", "run"],
    [["run"], "tenon run requires the argument <file>.", "run"],
    [["run", "a.ts", "b.ts"], 'Unexpected argument "b.ts".', "run"],
    [["run", "a.ts", "--port"], "--port requires a value.", "run"],
    [["run", "a.ts", "--port="], "--port requires a value.", "run"],
    [["run", "a.ts", "--port", "--host"], "--port requires a value.", "run"],
    [["run", "a.ts", "--port", "1", "--port", "2"], "--port can be given only once.", "run"],
    [["run", "a.ts", "--", "x"], 'tenon run does not take arguments after "--".', "run"],
    [["run", "a.ts", "--port", "70000"], '--port must be an integer from 0 to 65535; got "70000".', "run"],
    [["run", "a.ts", "--host", "::1"], "--host requires --port.", "run"],
    [["run", "a.ts", "--path", "/x"], "--path requires --port.", "run"],
    [
      ["run", "a.ts", "--port", "1", "--path", "x"],
      '--path must be a path that starts with / and contains only letters, digits, and the characters . / _ ~ -; got "x".',
      "run",
    ],
    [["run", "calculater.mjs"], 'File "calculater.mjs" not found. Did you mean calculator.mjs?', "run"],
    [["run", "."], '"." is not a file. Pass a module such as src/server.ts.', "run"],
    [["run", "a.ts", "--json"], "--json requires --port.", "run"],
    [["run", "a.ts", "--output", "json"], "--json requires --port.", "run"],
    [["run", "a.ts", "--workers", "2"], "--workers requires --port.", "run"],
    [["run", "https://example.com/mcp"], "The argument must be a file, not a URL.", "run"],
    [["list"], "No server specified. Pass a file or a URL with --server, or a program after --.", "list"],
    [["list", "--"], 'Add a program after "--".', "list"],
    [
      ["list", "a.ts", "--server", "b.ts"],
      "The server is specified twice. Use either the argument or --server.",
      "list",
    ],
    [
      ["list", "a.ts", "--", "b"],
      "More than one server specified. Use only one of --server, --command, or a program after --.",
      "list",
    ],
    [["list", "--json=yes", "a.ts"], "--json does not take a value. Use --json or --no-json.", "list"],
    [
      ["list", "a.ts", "--output", "jsno"],
      '--output must be one of text, json; got "jsno". Did you mean json?',
      "list",
    ],
    [
      ["list", "a.ts", "--timeout", "soon"],
      '--timeout must be a number of seconds greater than 0; got "soon".',
      "list",
    ],
    [["list", "--command", 'a "b'], "--command contains an unclosed quote.", "list"],
    [
      ["list", "a.ts", "--header", "A: b"],
      "--header and --bearer-env require an http or https URL as the server.",
      "list",
    ],
    [
      ["list", "http://[x"],
      "The server's URL is not valid. Pass a URL such as https://example.com/mcp.",
      "list",
    ],
    [["list", "http://localhost", "--header", "bad"], '--header must have the form "Name: value".', "list"],
    [
      ["list", "http://localhost", "--header", "Host: x"],
      "--header cannot set Host, because the protocol uses this header.",
      "list",
    ],
    [["call"], "tenon call requires a server and a tool. Write: tenon call <file or url> <tool>", "call"],
    [["call", "-s", "a.ts"], "tenon call requires the argument <tool>.", "call"],
    [
      ["call", "src/a.ts:app"],
      "tenon call requires the argument <tool>. Write: tenon call src/a.ts:app <tool>. List all tools with: tenon list src/a.ts:app",
      "call",
    ],
    [
      ["call", "files.read"],
      "No server specified. Write: tenon call <file or url> files.read, or pass a program after --.",
      "call",
    ],
    [["call", "-s", "a.ts", "add", "1"], 'Invalid argument "1". Write arguments as name=value.', "call"],
    [["call", "-s", "a.ts", "add", "a=1", "a=2"], 'Argument "a" is specified more than once.', "call"],
    [
      ["call", "a.ts", "add", "--args", "{"],
      `--args is not valid JSON. Quote the JSON for your shell: --args '{"a":1}'`,
      "call",
    ],
    [["call", "a.ts", "add", "--args", "[1]"], "--args must be a JSON object; got an array.", "call"],
    [["new"], "`tenon new` does not exist. Create a project with: npm create tenon@latest <folder>", ""],
    [
      ["new", "x", "--yes"],
      "`tenon new` does not exist. Create a project with: npm create tenon@latest <folder>",
      "",
    ],
    [
      ["help", "new"],
      "`tenon new` does not exist. Create a project with: npm create tenon@latest <folder>",
      "",
    ],
  ])("%j", async (args, problem, command) => {
    expect(await tenonInProcess(args)).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\n${see(command)}`,
    });
  });

  test("reports an unknown revision with the supported ones", async () => {
    const { code, stderr } = await tenonInProcess(["list", "calculator.mjs", "--revision", "2026-07-29"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^--revision must be one of 2024-11-05, .*2026-07-28; got "2026-07-29"\. Did you mean 2026-07-28\?\n/,
    );
  });

  test("rejects a URL with a password without repeating it", async () => {
    const { code, stderr } = await tenonInProcess(["list", "https://ann:s3cret@example.com/mcp"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "The server's URL must not contain a user name or password. Use --bearer-env or --header instead.\n",
    );
    expect(stderr).not.toContain("s3cret");
  });
});
