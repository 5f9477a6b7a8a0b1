import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../tests/support/source-files.js";
import { tenon } from "../../../tests/support/program.js";

const { version } = JSON.parse(readFileSync(`${ROOT}/packages/cli/package.json`, "utf8")) as {
  version: string;
};
const see = (command = "") =>
  `Run tenon${command === "" ? "" : ` ${command}`} --help to see what there is.\n`;

describe("the program tells what it can do", () => {
  test.each([["--version"], ["-v"]])("%s gives the package's version", async (flag) => {
    expect(await tenon([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("without a command it shows its help as an error", async () => {
    const { code, stdout, stderr } = await tenon([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("USAGE tenon new|run|list|call");
  });

  test.each([[["--help"]], [["-h"]], [["help"]]])("%j shows every command", async (args) => {
    const { code, stdout, stderr } = await tenon(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of ["new", "run", "list", "call"])
      expect(stdout).toMatch(new RegExp(`^ +${name} {4}`, "m"));
  });

  test.each([
    ["new", "USAGE tenon new [OPTIONS] [FOLDER]", "--no-install"],
    ["run", "USAGE tenon run [OPTIONS] <FILE>", "--port=<number>"],
    ["list", "USAGE tenon list [OPTIONS] [TARGET]", "--bearer-env=<variable>"],
    ["call", "USAGE tenon call [OPTIONS] <TOOL>", "--json=<object>"],
  ])("tenon %s --help shows its flags and examples, without colours in a pipe", async (name, usage, flag) => {
    const { code, stdout } = await tenon([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(usage);
    expect(stdout).toContain(flag);
    expect(stdout).toContain(`\nExamples\n\n  tenon ${name} `);
    expect(stdout).not.toContain("\u001b");
    expect((await tenon(["help", name])).stdout).toBe(stdout);
  });
});

describe("what cannot be done is said in one line, with exit code 2", () => {
  test.each<[readonly string[], string, string]>([
    [["rnu"], 'Unknown command "rnu". Did you mean run?', ""],
    [["frobnicate"], 'Unknown command "frobnicate"', ""],
    [["constructor"], 'Unknown command "constructor"', ""],
    [["\u001b[31mred"], 'Unknown command "[31mred"', ""],
    [["--hlep"], "Unknown flag --hlep. Did you mean --help?", ""],
    [["run", "x.ts", "--prot", "3"], "Unknown flag --prot. Did you mean --port?", "run"],
    [["run", "x.ts", "--no-port"], "Unknown flag --no-port. Did you mean --port?", "run"],
    [["run"], "tenon run needs <file>", "run"],
    [["run", "a.ts", "b.ts"], 'Unexpected argument "b.ts"', "run"],
    [["run", "a.ts", "--port"], "--port needs a value", "run"],
    [["run", "a.ts", "--port="], "--port needs a value", "run"],
    [["run", "a.ts", "--port", "--host"], "--port needs a value", "run"],
    [["run", "a.ts", "--port", "1", "--port", "2"], "--port is given more than once", "run"],
    [["run", "a.ts", "--", "x"], "tenon run takes nothing after --", "run"],
    [["run", "a.ts", "--port", "70000"], '--port must be a whole number from 0 to 65535, not "70000"', "run"],
    [["run", "a.ts", "--host", "::1"], "--host goes with --port only", "run"],
    [["run", "a.ts", "--path", "/x"], "--path goes with --port only", "run"],
    [["run", "a.ts", "--port", "1", "--path", "x"], "--path must begin with / and be a plain path", "run"],
    [["run", "calculater.mjs"], "There is no file calculater.mjs. Did you mean calculator.mjs?", "run"],
    [["run", "."], ". is not a file", "run"],
    [["list"], "Which server? Give a file or an address with --server, or a program after --", "list"],
    [["list", "--"], "A program must follow after --", "list"],
    [["list", "a.ts", "--server", "b.ts"], "Give the server once: by name, or with --server", "list"],
    [["list", "a.ts", "--", "b"], "Give one server: --server, --command or a program after --", "list"],
    [["list", "--json=yes", "a.ts"], "--json takes no value: say --json or --no-json", "list"],
    [["list", "a.ts", "--output", "jsno"], "--output must be one of text, json. Did you mean json?", "list"],
    [["list", "a.ts", "--timeout", "soon"], "--timeout must be a number of seconds above 0", "list"],
    [["list", "--command", 'a "b'], "--command must be a program and its arguments", "list"],
    [["list", "a.ts", "--header", "A: b"], "--header and --bearer-env go with an http address only", "list"],
    [["list", "http://[x"], "--server is not a well-formed address", "list"],
    [["list", "http://localhost", "--header", "bad"], '--header must look like "Name: value"', "list"],
    [
      ["list", "http://localhost", "--header", "Host: x"],
      "--header cannot set Host: it belongs to the protocol",
      "list",
    ],
    [["call"], "tenon call needs <tool>", "call"],
    [["call", "add", "1"], 'Arguments look like name=value, not "1"', "call"],
    [["call", "add", "a=1", "a=2"], 'The argument "a" is given more than once', "call"],
    [["call", "add", "--json", "{"], "--json cannot be read: message is not valid JSON", "call"],
    [["call", "add", "--json", "[1]"], "--json must be a JSON object", "call"],
    [["new"], "tenon new needs <folder>", "new"],
    [["new", "x", "--transport", "sse"], "--transport must be one of stdio, http", "new"],
  ])("%j", async (args, problem, command) => {
    expect(await tenon(args)).toEqual({ code: 2, stdout: "", stderr: `${problem}\n${see(command)}` });
  });

  test("a revision that does not exist is answered with those that do", async () => {
    const { code, stderr } = await tenon(["list", "calculator.mjs", "--revision", "2026-07-29"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^--revision must be one of 2024-11-05, .*2026-07-28\. Did you mean 2026-07-28\?\n/,
    );
  });

  test("an address with a password is refused, and the password is not repeated", async () => {
    const { code, stderr } = await tenon(["list", "https://ann:s3cret@example.com/mcp"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--server must hold no user name or password: use --bearer-env or --header\n");
    expect(stderr).not.toContain("s3cret");
  });
});
