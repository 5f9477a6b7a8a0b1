import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../../tools/source-files.js";
import { temporaryFolder, tenon } from "../../../../tests/support/program.js";

const TENON = `${ROOT}/packages/tenon/dist/index.js`;

/** Writes a module into a temporary folder. */
function moduleFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(`${folder}/${name}`, text.replaceAll("TENON", JSON.stringify(TENON)));
  }
  return folder;
}

const SERVER = (name: string) =>
  `defineServer({ name: "${name}", version: "1.0.0" }).tool("who", { handler: () => "${name}" })`;

describe("flags and arguments", () => {
  test("first-run-e: --json selects JSON output in every command that prints a result", async () => {
    const runs = [
      ["list", "shop.mjs"],
      ["call", "shop.mjs", "owner"],
      ["read", "shop.mjs", "menu://today"],
      ["prompt", "shop.mjs", "review", "kind=x"],
    ];
    const ended = await Promise.all(runs.map((words) => tenon([...words, "--json"])));
    for (const { code, stdout } of ended) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toBeTypeOf("object");
    }
  });

  test.each<[readonly string[], string]>([
    [["call", "calculator.mjs", "add", "--json", '{"a":1}'], "--args"],
    [["call", "add", "--json", '{"a":1}', "-s", "calculator.mjs"], "--args"],
    [["call", "add", '--json={"a":1}', "-s", "calculator.mjs"], "--args"],
    [["call", "add", "--json", "-", "-s", "calculator.mjs"], "--args -"],
    [["call", "calculator.mjs", "add", "--input", '{"a":1}'], "--args"],
  ])("first-run-e: %j names --args", async (args, flag) => {
    const { code, stdout, stderr } = await tenon(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(flag);
  });

  test.each<[readonly string[], string]>([
    [
      ["call", "calculator.mjs", "add", "a=1", "b=2", "c=3"],
      'Tool "add" does not take the argument "c". Its arguments: a, b.',
    ],
    [
      ["call", "calculator.mjs", "echo", "txet=1"],
      'Tool "echo" does not take the argument "txet". Did you mean text? Its arguments: text.',
    ],
    [
      ["call", "calculator.mjs", "wait", "x=1"],
      'Tool "wait" does not take the argument "x". It does not take arguments.',
    ],
    [["--version", "extra"], 'Unexpected argument "extra" after --version.'],
    [["help", "run", "extra"], 'Unexpected argument "extra" after help.'],
    [["list", "a.mjs", "b.mjs"], 'Unexpected argument "b.mjs".'],
    [
      ["list", "http://127.0.0.1:1", "--bearer", "s3cret"],
      "Unknown flag --bearer. Put the token in an environment variable, and pass its name with --bearer-env.",
    ],
    [["run", "a.mjs", "--allow", "x"], "Unknown flag --allow. Did you mean --allow-host?"],
    [["promt"], 'Unknown command "promt". Did you mean prompt?'],
    [["ls"], 'Unknown command "ls". Did you mean list?'],
  ])("first-run-e: %j is rejected with a fix", async (args, message) => {
    const { code, stdout, stderr } = await tenon(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.split("\n")).toContain(message);
    expect(stderr).not.toContain("s3cret");
  });

  test("first-run-e: the server can be the first argument of `call`", async () => {
    const { code, stdout } = await tenon(["call", "calculator.mjs", "add", "a=1", "b=2"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "3\n" });
  });
});

describe("modules", () => {
  const cwd = moduleFolder({
    "named.mjs": `import { defineServer } from TENON;
      export const admin = ${SERVER("admin")};
      export const mcp = ${SERVER("mcp")};
      export const make = () => ${SERVER("made")};
      export const config = { port: 1 };`,
    "server.mjs": `import { defineServer } from TENON; export const server = ${SERVER("server")}.build();`,
    "express.mjs": `import { defineServer } from TENON;
      export const app = Object.assign(() => { throw new Error("called"); }, { handle() {} });
      export const mcp = ${SERVER("beside")};`,
    "nothing.mjs": `console.log("started");`,
    "config.mjs": `export const config = 1; export const helper = 2;`,
    "context.mjs": `import { defineServer } from TENON;
      export const context = Promise.resolve({ user: "ada" });
      export default defineServer({ name: "c", version: "1.0.0" }).tool("who", { handler: (_args, call) => call.context.user });`,
  });

  test.each([
    ["named.mjs", "mcp"],
    ["named.mjs:admin", "admin"],
    ["named.mjs:make", "made"],
    ["server.mjs", "server"],
    ["express.mjs", "beside"],
    ["context.mjs", "ada"],
  ])("first-run-e: finds the server in %s", async (target, stdout) => {
    expect(await tenon(["call", target, "who"], { cwd })).toEqual({
      code: 0,
      stdout: `${stdout}\n`,
      stderr: "",
    });
  });

  test("first-run-e: `run` and programs pass the module's context", async () => {
    const words = ["--", process.execPath, `${ROOT}/packages/cli/dist/main.js`, "run", "context.mjs"];
    expect((await tenon(["call", "who", ...words], { cwd })).stdout).toBe("ada\n");
  });

  test.each([
    [
      "config.mjs",
      '"config.mjs" does not export a server. It exports: config, helper. Export the server as default, server, app, or mcp, or select an export: config.mjs:config\n',
    ],
    [
      "named.mjs:amdin",
      '"named.mjs" does not export "amdin". Did you mean admin? It exports: admin, config, make, mcp.\n',
    ],
    [
      "named.mjs:config",
      'The export `config` of "named.mjs" must be a server; got an object. Export a server, a builder, or a function that returns one.\n',
    ],
    [
      "nothing.mjs",
      'started\n"nothing.mjs" does not export anything. Add `export default server`. If the file starts a server itself, run it as a program: -- node nothing.mjs\n',
    ],
  ])("first-run-e: %s is rejected with the list of exports", async (target, stderr) => {
    expect(await tenon(["list", target], { cwd })).toEqual({ code: 1, stdout: "", stderr });
  });
});

describe("errors in the user's file", () => {
  const cwd = moduleFolder({
    "syntax.mjs": "export default {\n  oops oops\n};\n",
    "missing.mjs": `import "no-such-package-anywhere";`,
    "throws.mjs": `function open() {\n  throw new TypeError("no database");\n}\nexport default () => open();\n`,
    "build.mjs": `import { defineServer } from TENON;
      export default defineServer({ name: "b", version: "1.0.0" })
        .tool("twice", { handler: () => "" })
        .tool("twice", { handler: () => "" });`,
  });

  test.each([
    ["syntax.mjs", /^Could not load "syntax\.mjs": SyntaxError: .+ \(syntax\.mjs:2\)\.\n$/],
    [
      "missing.mjs",
      /^Could not load "missing\.mjs": Cannot find package 'no-such-package-anywhere' .+ Install it: npm install no-such-package-anywhere\n$/,
    ],
    [
      "throws.mjs",
      /^The default export of "throws\.mjs" threw an error: TypeError: no database \(throws\.mjs:2:9\)\.\n$/,
    ],
    ["build.mjs", /^Could not (load|build the server in) "build\.mjs": .*"twice".*\n$/],
  ])("first-run-e: %s is reported in one sentence with the line", async (file, message) => {
    for (const command of ["list", "run"]) {
      const { code, stdout, stderr } = await tenon([command, file], { cwd });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^ +at /m);
      expect(stderr).not.toContain("Unexpected error");
    }
  });
});
