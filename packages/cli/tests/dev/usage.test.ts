import { describe, expect, test } from "vitest";
import { tenon } from "../../../../tests/support/program.js";

const SEE = "Run tenon dev --help for usage.\n";

describe("tenon dev", () => {
  test("shows its flags and examples", async () => {
    const { code, stdout } = await tenon(["dev", "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("USAGE tenon dev [OPTIONS] <FILE>");
    for (const flag of [
      "--port",
      "--host",
      "--path",
      "--allow-host",
      "--stdio",
      "--env-file",
      "--json",
      "--poll",
      "--no-tokens",
      "--no-page",
      "--open",
    ])
      expect(stdout).toContain(flag);
    expect(stdout).toContain("\nExamples\n\n  tenon dev src/server.ts\n");
  });

  test.each<[readonly string[], string]>([
    [["dev"], "tenon dev requires the argument <file>."],
    [["dev", "a.ts", "b.ts"], 'Unexpected argument "b.ts".'],
    [["dev", "calculator.mjs", "--prot", "1"], "Unknown flag --prot. Did you mean --port?"],
    [["dev", "calculator.mjs", "--port", "x"], '--port must be an integer from 0 to 65535; got "x".'],
    [
      ["dev", "calculator.mjs", "--watch"],
      "Unknown flag --watch. Files that the module imports are always watched.",
    ],
    [
      ["dev", "calculator.mjs", "--path", "here"],
      '--path must be a path that starts with / and contains only letters, digits, and the characters . / _ ~ -; got "here".',
    ],
    [
      ["dev", "calculator.mjs", "--stdio", "--port", "1"],
      "--stdio cannot be combined with --port. Remove one of them.",
    ],
    [
      ["dev", "calculator.mjs", "--stdio", "--host", "::1"],
      "--stdio cannot be combined with --host. Remove one of them.",
    ],
    [
      ["dev", "calculator.mjs", "--no-page", "--open"],
      "--open cannot be combined with --no-page. Remove one of them.",
    ],
    [
      ["dev", "calculator.mjs", "--path", "/_dev/mcp"],
      "--path must not start with /_dev, which is the development page. Add --no-page to use it.",
    ],
    [["dev", "calculater.mjs"], 'File "calculater.mjs" not found. Did you mean calculator.mjs?'],
    [["dev", "."], '"." is not a file. Pass a module such as src/server.ts.'],
    [["dev", "http://localhost:3000/mcp"], "The argument must be a file, not a URL."],
  ])("rejects %j", async (args, problem) => {
    expect(await tenon(args)).toEqual({ code: 2, stdout: "", stderr: `${problem}\n${SEE}` });
  });

  test("requires --allow-host for an address that other machines can reach", async () => {
    expect(await tenon(["dev", "calculator.mjs", "--host", "0.0.0.0"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "--allow-host is required to listen on 0.0.0.0, because other machines can reach it. Pass the host name that clients use.\n",
    });
  });

  test("requires the file of --env-file", async () => {
    const { code, stdout, stderr } = await tenon(["dev", "calculator.mjs", "--env-file", "none.env"]);
    // Some versions of Node.js read the flag themselves, and exit with code 9.
    expect(stderr).toMatch(
      /^(Could not read the file "none\.env" of --env-file\.|.*node: none\.env: not found)\n$/,
    );
    expect([1, 9]).toContain(code);
    expect(stdout).toBe("");
  });
});
