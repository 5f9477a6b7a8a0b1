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
import { ROOT } from "../../../tests/support/source-files.js";
import { temporaryFolder, tenon } from "../../../tests/support/program.js";

const { version } = JSON.parse(readFileSync(`${ROOT}/packages/create-tenon/package.json`, "utf8")) as {
  version: string;
};
const QUIET = ["--no-install", "--no-git"];
const EXAMPLE = "# stdio or http\nMCP_TRANSPORT_TYPE=stdio\n\nMCP_AUTH_MODE=none\n# MCP_AUTH_SECRET_KEY=\n";

/** A small template: what it holds is what the tests speak of. */
function makeTemplate(): string {
  const folder = join(temporaryFolder(), "template");
  mkdirSync(`${folder}/src`, { recursive: true });
  mkdirSync(`${folder}/node_modules/x`, { recursive: true });
  const manifest = {
    name: "my-mcp-server",
    version: "0.1.0",
    private: true,
    dependencies: { tenon: "*", zod: "^4" },
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
  tenon(["new", ...args, "--template", template], { cwd });
const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();

describe("tenon new", () => {
  test("makes a project from the template, under its own name, and says what comes next", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await make(cwd, "Weather Server", ...QUIET);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'Next:\n  cd "Weather Server"\n  npm install\n  npm run build\n  npm run start\n',
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
      dependencies: { tenon: `^${version}`, zod: "^4" },
    });
    expect(readFileSync(`${folder}/src/index.ts`, "utf8")).toBe('export const name = "weather-server";\n');
    expect([...readFileSync(`${folder}/logo.bin`)]).toEqual([0xff, 0xfe, 0x00, 0x80]);
    expect(statSync(`${folder}/start.sh`).mode & 0o777).toBe(0o755);
    expect(readdirSync(cwd)).toEqual(["Weather Server"]);
  });

  test("the choices go to .env, which nobody else can read", async () => {
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

  test("OAuth leaves two settings open, and says which", async () => {
    const cwd = temporaryFolder();
    const words = ["--auth", "oauth", "--transport", "http", "--package-manager", "pnpm", ...QUIET];
    const { stdout } = await make(cwd, "a", ...words);
    expect(stdout).toBe(
      "Next:\n  cd a\n  pnpm install\n  # set OAUTH_ISSUER_URL and OAUTH_AUDIENCE in .env\n  pnpm run build\n  pnpm run start\n",
    );
  });

  test.each<[string, readonly string[], string]>([
    [
      "capital letters",
      ["--name", "Weather Server"],
      '"Weather Server" is no name for a package: it has capital letters. Try weather-server',
    ],
    [
      "a way out",
      ["--name", "../../etc"],
      '"../../etc" is no name for a package: it is not of the form name or @scope/name. Try etc',
    ],
    [
      "a scope",
      ["--name", "@Me/x y"],
      '"@Me/x y" is no name for a package: it has capital letters. Try @me/x-y',
    ],
    ["a module of Node", ["--name", "http"], '"http" is no name for a package: it is taken by Node or npm'],
    [
      "a dot",
      ["--name", ".x"],
      '".x" is no name for a package: it begins with a dot or an underscore. Try x',
    ],
    [
      "a contradiction",
      ["--transport", "stdio", "--auth", "jwt"],
      "--auth jwt goes with --transport http only: on stdio nobody else can call",
    ],
    [
      "a choice that is none",
      ["--auth", "jwtt"],
      "--auth must be one of none, jwt, oauth. Did you mean jwt?",
    ],
  ])("refuses %s, and makes nothing", async (_what, args, problem) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await make(cwd, "x", ...args, ...QUIET);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\nRun tenon new --help to see what there is.\n`,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("takes a name with a scope", async () => {
    const cwd = temporaryFolder();
    expect((await make(cwd, "x", "--name", "@me/weather", ...QUIET)).code).toBe(0);
    expect(readFileSync(`${cwd}/x/package.json`, "utf8")).toContain('"name": "@me/weather"');
  });

  test("refuses a folder that is not empty, and leaves it as it was", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/full`);
    writeFileSync(`${cwd}/full/mine.txt`, "mine");
    const { code, stderr } = await make(cwd, "full", ...QUIET);
    expect(code).toBe(2);
    expect(stderr).toContain(`${cwd}/full is not empty: choose another folder\n`);
    expect(readdirSync(`${cwd}/full`)).toEqual(["mine.txt"]);
    writeFileSync(`${cwd}/file`, "");
    expect((await make(cwd, "file", ...QUIET)).stderr).toContain("is there already, and is not a folder\n");
  });

  test("takes an empty folder, also the one it stands in", async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await make(cwd, ".", "--name", "here", ...QUIET);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Next:\n  npm install\n  npm run build\n  npm run start\n",
    });
    expect(filesOf(cwd)).toHaveLength(7);
  });

  test("leaves nothing behind where it fails midway, not even the folders above", async () => {
    const cwd = temporaryFolder();
    const bad = makeTemplate();
    writeFileSync(`${bad}/package.json`, "[]");
    const words = ["new", "a/b/c", "--template", bad, ...QUIET];
    expect(await tenon(words, { cwd })).toEqual({
      code: 1,
      stdout: "",
      stderr: "The template is not complete: its package.json is no object\n",
    });
    expect(readdirSync(cwd)).toEqual([]);
    mkdirSync(`${cwd}/empty`);
    expect((await tenon(["new", "empty", "--template", bad, ...QUIET], { cwd })).code).toBe(1);
    expect(readdirSync(`${cwd}/empty`)).toEqual([]);
  });

  test("a template that is not there is told of", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await tenon(["new", "x", "--template", "nowhere", ...QUIET], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "The template is not complete: it has no package.json\n",
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("what follows the files", () => {
  /** Programs of our own instead of those that would ask a network. */
  function programs(scripts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const bin = temporaryFolder();
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(`${bin}/${name}`, `#!/bin/sh\n${script}\n`);
      chmodSync(`${bin}/${name}`, 0o755);
    }
    return { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  }

  test("packages are installed by the package manager that was asked for, and Git is started", async () => {
    const cwd = temporaryFolder();
    const env = programs({ yarn: 'echo "$@" > installed' });
    const words = ["new", "x", "--template", template, "--package-manager", "yarn"];
    const { code, stdout, stderr } = await tenon(words, { cwd, env });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "Next:\n  cd x\n  yarn run build\n  yarn run start\n",
      stderr: `Created x: 7 files in ${cwd}/x\nStarting a Git repository...\nInstalling packages with yarn...\n`,
    });
    expect(readFileSync(`${cwd}/x/installed`, "utf8")).toBe("install\n");
    expect(
      execFileSync("git", ["status", "--porcelain", "--branch"], { cwd: `${cwd}/x`, encoding: "utf8" }),
    ).toMatch(/^## No commits yet on main\n/);
    expect(execFileSync("git", ["check-ignore", ".env"], { cwd: `${cwd}/x`, encoding: "utf8" })).toBe(
      ".env\n",
    );
  });

  test("inside a repository no second one is started", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/.git`);
    await make(cwd, "x", "--no-install");
    expect(existsSync(`${cwd}/x/.git`)).toBe(false);
  });

  test("the package manager that started the program is taken", async () => {
    const cwd = temporaryFolder();
    const env = { npm_config_user_agent: "pnpm/9.0.0 npm/? node/v20" };
    const { stdout } = await tenon(["new", "x", "--template", template, ...QUIET], { cwd, env });
    expect(stdout).toContain("\n  pnpm install\n");
  });

  test("an install that fails is told of; the project is whole and stays", async () => {
    const cwd = temporaryFolder();
    const env = programs({ npm: "echo no network >&2; exit 1" });
    const { code, stdout, stderr } = await tenon(["new", "x", "--template", template, "--no-git"], {
      cwd,
      env,
    });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "Next:\n  cd x\n  npm install\n  npm run build\n  npm run start\n",
      stderr: `Created x: 7 files in ${cwd}/x\nInstalling packages with npm...\nnpm install failed:\nno network\n`,
    });
    expect(filesOf(`${cwd}/x`)).toHaveLength(7);
  });
});

test("the package's own template makes a project with its name and its settings", async () => {
  const cwd = temporaryFolder();
  const { code } = await tenon(
    ["new", "weather", "--auth", "jwt", "--tenon", "file:../tenon.tgz", ...QUIET],
    { cwd },
  );
  expect(code).toBe(0);
  const files = filesOf(`${cwd}/weather`);
  expect(files).toEqual(expect.arrayContaining([".gitignore", ".env", "package.json", "src/index.ts"]));
  expect(files).not.toContain("gitignore");
  expect(JSON.parse(readFileSync(`${cwd}/weather/package.json`, "utf8"))).toMatchObject({
    name: "weather",
    dependencies: { tenon: "file:../tenon.tgz" },
  });
  expect(readFileSync(`${cwd}/weather/.env`, "utf8")).toMatch(/^MCP_AUTH_SECRET_KEY=[\w-]{64}$/m);
});
