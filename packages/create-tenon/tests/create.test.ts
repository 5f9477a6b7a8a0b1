import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../tools/source-files.js";
import { createTenon, temporaryFolder } from "../../../tests/support/program.js";

const { version } = JSON.parse(readFileSync(`${ROOT}/packages/create-tenon/package.json`, "utf8")) as {
  version: string;
};
const SEE_HELP = "Run npm create tenon@latest -- --help for usage.\n";
const QUIET = ["--no-install", "--no-git"];
const EXAMPLE = "# stdio or http\nMCP_TRANSPORT_TYPE=stdio\n\nMCP_AUTH_MODE=none\n# MCP_AUTH_SECRET_KEY=\n";

/** Creates a small template with one file for each copying rule. */
function makeTemplate(): string {
  const folder = join(temporaryFolder(), "template");
  mkdirSync(`${folder}/src`, { recursive: true });
  mkdirSync(`${folder}/node_modules/x`, { recursive: true });
  const manifest = {
    name: "my-mcp-server",
    version: "0.1.0",
    private: true,
    dependencies: { "@tenon/app": "*", tenon: "*", tenonish: "*", zod: "^4" },
    devDependencies: { "@tenon/cli": "*", vitest: "^4" },
  };
  writeFileSync(`${folder}/package.json`, JSON.stringify(manifest));
  writeFileSync(`${folder}/gitignore`, "node_modules/\n.env\n");
  writeFileSync(`${folder}/.env.example`, EXAMPLE);
  writeFileSync(`${folder}/.env`, "SECRET=of-the-author\n");
  writeFileSync(`${folder}/src/index.ts`, 'export const name = "my-mcp-server";\n');
  writeFileSync(`${folder}/logo.bin`, Buffer.from([0xff, 0xfe, 0x00, 0x80]));
  writeFileSync(`${folder}/start.sh`, "#!/bin/sh\n");
  chmodSync(`${folder}/start.sh`, 0o755);
  writeFileSync(`${folder}/node_modules/x/index.js`, "");
  symlinkSync("/etc/hostname", `${folder}/link`);
  return folder;
}

const template = makeTemplate();
const make = (cwd: string, ...args: readonly string[]) =>
  createTenon([...args, "--template", template], { cwd });
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();

describe("npm create tenon", () => {
  test("creates a project from the template with the given name, and prints the next steps", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await make(cwd, "Weather Server", ...QUIET);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'Next steps:\n  cd "Weather Server"\n  npm install\n  npm run build\n  npm run start\n',
      stderr: `Created weather-server: 7 files in ${cwd}/Weather Server\n`,
    });
    const folder = `${cwd}/Weather Server`;
    expect(filesOf(folder)).toEqual([
      ".env",
      ".env.example",
      ".gitignore",
      "logo.bin",
      "package.json",
      "src/index.ts",
      "start.sh",
    ]);
    expect(JSON.parse(readFileSync(`${folder}/package.json`, "utf8"))).toEqual({
      name: "weather-server",
      version: "0.1.0",
      private: true,
      dependencies: { "@tenon/app": `^${version}`, tenon: `^${version}`, tenonish: "*", zod: "^4" },
      devDependencies: { "@tenon/cli": `^${version}`, vitest: "^4" },
    });
    expect(readFileSync(`${folder}/src/index.ts`, "utf8")).toBe('export const name = "weather-server";\n');
    expect([...readFileSync(`${folder}/logo.bin`)]).toEqual([0xff, 0xfe, 0x00, 0x80]);
    expect(statSync(`${folder}/start.sh`).mode & 0o777).toBe(0o755);
    expect(readdirSync(cwd)).toEqual(["Weather Server"]);
  });

  test("writes the choices to .env, which only the user can read", async () => {
    const cwd = temporaryFolder();
    await make(cwd, "plain", ...QUIET);
    expect(readFileSync(`${cwd}/plain/.env`, "utf8")).toBe(`${EXAMPLE}MCP_SERVER_NAME=plain\n`);
    await make(cwd, "guarded", "--auth", "jwt", ...QUIET);
    const env = readFileSync(`${cwd}/guarded/.env`, "utf8");
    expect(env).toMatch(
      /^# stdio or http\nMCP_TRANSPORT_TYPE=http\n\nMCP_AUTH_MODE=jwt\nMCP_AUTH_SECRET_KEY=[\w-]{64}\nMCP_SERVER_NAME=guarded\n$/,
    );
    expect(statSync(`${cwd}/guarded/.env`).mode & 0o777).toBe(0o600);
    await make(cwd, "guarded2", "--auth", "jwt", ...QUIET);
    const secretOf = (text: string) => /SECRET_KEY=(.*)/.exec(text)?.[1];
    expect(secretOf(readFileSync(`${cwd}/guarded2/.env`, "utf8"))).not.toBe(secretOf(env));
  });

  test("lists the two settings that OAuth still requires", async () => {
    const cwd = temporaryFolder();
    const words = ["--auth", "oauth", "--transport", "http", "--package-manager", "pnpm", ...QUIET];
    const { stdout } = await make(cwd, "a", ...words);
    expect(stdout).toBe(
      "Next steps:\n  cd a\n  pnpm install\n  # set OAUTH_ISSUER_URL and OAUTH_AUDIENCE in .env\n  pnpm run build\n  pnpm run start\n",
    );
  });

  test.each<[string, readonly string[], string]>([
    [
      "uppercase letters",
      ["--name", "Weather Server"],
      'Invalid package name "Weather Server": it contains uppercase letters. Try "weather-server".',
    ],
    [
      "a path",
      ["--name", "../../etc"],
      'Invalid package name "../../etc": it does not have the form name or @scope/name. Try "etc".',
    ],
    [
      "a scope",
      ["--name", "@Me/x y"],
      'Invalid package name "@Me/x y": it contains uppercase letters. Try "@me/x-y".',
    ],
    [
      "a Node.js module",
      ["--name", "http"],
      'Invalid package name "http": it is reserved by Node.js or npm.',
    ],
    ["a dot", ["--name", ".x"], 'Invalid package name ".x": it starts with a dot or an underscore. Try "x".'],
    [
      "conflicting options",
      ["--transport", "stdio", "--auth", "jwt"],
      "--auth jwt requires --transport http. Over stdio, only the process that started the server can call it.",
    ],
    [
      "an unknown value",
      ["--auth", "jwtt"],
      '--auth must be one of none, jwt, oauth; got "jwtt". Did you mean jwt?',
    ],
  ])("rejects %s, and creates nothing", async (_what, args, problem) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await make(cwd, "x", ...args, ...QUIET);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\n${SEE_HELP}`,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("accepts a name with a scope", async () => {
    const cwd = temporaryFolder();
    expect((await make(cwd, "x", "--name", "@me/weather", ...QUIET)).code).toBe(0);
    expect(readFileSync(`${cwd}/x/package.json`, "utf8")).toContain('"name": "@me/weather"');
  });

  test("rejects a folder that is not empty, and does not change it", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/full`);
    writeFileSync(`${cwd}/full/mine.txt`, "mine");
    const { code, stderr } = await make(cwd, "full", ...QUIET);
    expect(code).toBe(2);
    expect(stderr).toContain(`${cwd}/full is not empty. Choose a different folder.\n`);
    expect(readdirSync(`${cwd}/full`)).toEqual(["mine.txt"]);
    writeFileSync(`${cwd}/file`, "");
    expect((await make(cwd, "file", ...QUIET)).stderr).toContain(
      "exists and is not a folder. Choose a different name.\n",
    );
  });

  test("accepts an empty folder, including the current one", async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await make(cwd, ".", "--name", "here", ...QUIET);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Next steps:\n  npm install\n  npm run build\n  npm run start\n",
    });
    expect(filesOf(cwd)).toHaveLength(7);
  });

  test("leaves nothing behind after a failure, not even the parent folders", async () => {
    const cwd = temporaryFolder();
    const bad = makeTemplate();
    for (const manifest of ["[]", "{"]) {
      writeFileSync(`${bad}/package.json`, manifest);
      expect(await createTenon(["a/b/c", "--template", bad, ...QUIET], { cwd })).toEqual({
        code: 1,
        stdout: "",
        stderr: "The template's package.json must contain a JSON object.\n",
      });
      expect(readdirSync(cwd)).toEqual([]);
    }
    mkdirSync(`${cwd}/empty`);
    expect((await createTenon(["empty", "--template", bad, ...QUIET], { cwd })).code).toBe(1);
    expect(readdirSync(`${cwd}/empty`)).toEqual([]);
  });

  test("reports a template folder that does not exist", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await createTenon(["x", "--template", "./nowhere", ...QUIET], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Template ${cwd}/nowhere does not contain a package.json. Pass a folder that contains a template.\n`,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("creates no .env file from a template without .env.example, and rejects flags for its settings", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/own`);
    writeFileSync(`${cwd}/own/package.json`, '{"name":"my-mcp-server"}');
    const rejected = await createTenon(["x", "--template", "own", "--auth", "jwt", ...QUIET], { cwd });
    expect(rejected).toEqual({
      code: 2,
      stdout: "",
      stderr: `--auth applies only to templates with a .env.example file, which ${cwd}/own does not contain.\n${SEE_HELP}`,
    });
    expect((await createTenon(["x", "--template", "own", ...QUIET], { cwd })).code).toBe(0);
    expect(filesOf(`${cwd}/x`)).toEqual(["package.json"]);
  });
});

describe("after the files are written", () => {
  /** Creates programs that replace package managers, which would use the network. */
  function programs(scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const bin = temporaryFolder();
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(`${bin}/${name}`, `#!/bin/sh\n${script}\n`);
      chmodSync(`${bin}/${name}`, 0o755);
    }
    return { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  }

  test("installs packages with the chosen package manager, and creates a Git repository", async () => {
    const cwd = temporaryFolder();
    const env = programs({ yarn: 'echo "$@" > installed' });
    const words = ["x", "--template", template, "--package-manager", "yarn"];
    const { code, stdout, stderr } = await createTenon(words, { cwd, env });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "Next steps:\n  cd x\n  yarn run build\n  yarn run start\n",
      stderr: `Created x: 7 files in ${cwd}/x\nCreating a Git repository...\nInstalling packages with yarn...\n`,
    });
    expect(readFileSync(`${cwd}/x/installed`, "utf8")).toBe("install\n");
    expect(
      execFileSync("git", ["status", "--porcelain", "--branch"], { cwd: `${cwd}/x`, encoding: "utf8" }),
    ).toMatch(/^## No commits yet on main\n/);
    expect(execFileSync("git", ["check-ignore", ".env"], { cwd: `${cwd}/x`, encoding: "utf8" })).toBe(
      ".env\n",
    );
  });

  test("does not create a repository inside an existing repository", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/.git`);
    await make(cwd, "x", "--no-install");
    expect(existsSync(`${cwd}/x/.git`)).toBe(false);
  });

  test("uses the package manager that ran the command", async () => {
    const cwd = temporaryFolder();
    const env = { npm_config_user_agent: "pnpm/9.0.0 npm/? node/v20" };
    const { stdout } = await createTenon(["x", "--template", template, ...QUIET], { cwd, env });
    expect(stdout).toContain("\n  pnpm install\n");
  });

  test("reports an install that fails, and keeps the complete project", async () => {
    const cwd = temporaryFolder();
    const env = programs({ npm: "echo no network >&2; exit 1" });
    const { code, stdout, stderr } = await createTenon(["x", "--template", template, "--no-git"], {
      cwd,
      env,
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "Next steps:\n  cd x\n  npm install\n  npm run build\n  npm run start\n",
      stderr: `Created x: 7 files in ${cwd}/x\nInstalling packages with npm...\nnpm install failed:\nno network\n`,
    });
    expect(filesOf(`${cwd}/x`)).toHaveLength(7);
  });
});

describe("the command line", () => {
  test.each([["--version"], ["-v"]])("%s prints the package version", async (flag) => {
    const cwd = temporaryFolder();
    expect(await createTenon([flag], { cwd })).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test.each([["--help"], ["-h"]])("%s shows flags and examples, without colors in a pipe", async (flag) => {
    const { code, stdout, stderr } = await createTenon([flag], { cwd: temporaryFolder() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("USAGE create-tenon [OPTIONS] [FOLDER]\n");
    expect(stdout).toContain("--no-install");
    expect(stdout).toContain("--template=<minimal|grouped|worker|agent|app|folder>");
    expect(stdout).toMatch(
      /\nTemplates\n\n {2}minimal +one file .+ \(default\)\n {2}grouped +.+\n {2}worker +.+\n {2}agent +.+\n {2}app +.+\n$/,
    );
    expect(stdout).toContain("\nExamples\n\n  npm create tenon@latest my-server\n");
    expect(stdout).not.toContain("\u001b");
  });

  test.each<[readonly string[], string]>([
    [[], "No folder specified. Pass the folder to create: npm create tenon@latest my-server"],
    [["--yes"], "No folder specified. Pass the folder to create: npm create tenon@latest my-server"],
    [["a\nb"], "The folder name must not be empty or contain control characters. Choose a different name."],
    [["a", "b"], 'Unexpected argument "b".'],
    [["x", "--transport", "sse"], '--transport must be one of stdio, http; got "sse".'],
    [["x", "--instal"], "Unknown flag --instal. Did you mean --install?"],
    [["x", "--", "y"], 'npm create tenon does not take arguments after "--".'],
  ])("rejects %j in one line, with exit code 2", async (args, problem) => {
    const cwd = temporaryFolder();
    expect(await createTenon(args, { cwd })).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\n${SEE_HELP}`,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
