import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isOffline, type LocalRegistry, startRegistry } from "../../tools/local-registry.js";
import { packPackages } from "../../tools/packed-packages.js";
import { runBounded } from "../../tools/process.js";

/** Generous timeout, because a slow registry or a busy machine is not a defect in the packages. */
const INSTALL_MS = 120_000;
const RUN_MS = 60_000;
const TEST_MS = INSTALL_MS + 3 * RUN_MS;

const CLI_BINARY = "../@tenon/cli/dist/main.js";
const OWN_BINARY = "../tenon/bin/tenon.mjs";
const HINT = `The tenon command requires the package "@tenon/cli". Install it:
  npm install --save-dev @tenon/cli
Or run it without installing:
  npx @tenon/cli <command>
`;

const SERVER = `
import { defineServer } from "tenon";
import { z } from "zod";

export default defineServer({ name: "adder", version: "1.0.0" }).tool("add", {
  description: "Adds two numbers",
  input: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => String(a + b),
});
`;

const folder = mkdtempSync(join(tmpdir(), "tenon-binaries-"));
let registry: LocalRegistry;
let version: string | undefined;
let offline = false;

/** Projects by the orders in which packages are installed. */
const PROJECTS = {
  "only tenon": [["tenon"]],
  "tenon first": [["tenon"], ["--save-dev", "@tenon/cli"]],
  "@tenon/cli first": [["--save-dev", "@tenon/cli"], ["tenon"]],
  "both together": [["tenon", "@tenon/cli", "zod"]],
} as const;
type ProjectName = keyof typeof PROJECTS;
const projectOf = (name: ProjectName) => join(folder, name.replaceAll(/\W+/g, "-"));

beforeAll(async () => {
  const published = await packPackages(["tenon", "@tenon/cli"]);
  version = published.find(({ name }) => name === "@tenon/cli")?.manifest.version;
  registry = await startRegistry(published);
  try {
    await createProject("only tenon", PROJECTS["only tenon"]);
    // Continues with a copy of the first project.
    cpSync(projectOf("only tenon"), projectOf("tenon first"), { recursive: true, verbatimSymlinks: true });
    await Promise.all([
      createProject("tenon first", PROJECTS["tenon first"].slice(1)),
      createProject("@tenon/cli first", PROJECTS["@tenon/cli first"]),
      createProject("both together", PROJECTS["both together"]),
    ]);
  } catch (error) {
    offline = isOffline(String(error));
    if (!offline) throw error;
  }
}, 4 * INSTALL_MS);

beforeEach((ctx) => {
  if (offline) ctx.skip("Could not reach the npm registry.");
});

afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
}, RUN_MS);

describe("the binary named tenon", { timeout: TEST_MS }, () => {
  test("prints installation instructions if @tenon/cli is missing, and exits with code 1", async () => {
    const project = projectOf("only tenon");
    expect(binaryOf(project)).toBe(OWN_BINARY);
    expect(await npx(project, "tenon", "list")).toEqual({ code: 1, stdout: "", stderr: HINT });
  });

  test("npx @tenon/cli works in a project where only tenon is installed", async () => {
    const ended = await npx(projectOf("only tenon"), "--yes", "@tenon/cli", "--version");
    expect(ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test.each<readonly [title: string, ProjectName]>([
    ["tenon is installed first", "tenon first"],
    ["@tenon/cli is installed first", "@tenon/cli first"],
    ["both are installed together", "both together"],
  ])("belongs to @tenon/cli if %s", async (_title, name) => {
    const project = projectOf(name);
    expect(binaryOf(project)).toBe(CLI_BINARY);
    expect(await npx(project, "tenon", "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("tenon's binary runs @tenon/cli with the same arguments, output, and exit code", async () => {
    const project = projectOf("both together");
    writeFileSync(join(project, "server.mjs"), SERVER);
    mkdirSync(join(project, "src/deep"), { recursive: true });
    const own = join(project, "node_modules/tenon/bin/tenon.mjs");
    const call = ["call", "add", "a=1", "b=2", "--server"];
    const sum = { code: 0, stdout: "3\n", stderr: "" };
    expect(await run(process.execPath, [own, ...call, "server.mjs"], project)).toEqual(sum);
    const below = join(project, "src/deep");
    expect(await run(process.execPath, [own, ...call, "../../server.mjs"], below)).toEqual(sum);
    expect(await run(process.execPath, [own, "lst"], project)).toEqual({
      code: 2,
      stdout: "",
      stderr: 'Unknown command "lst". Did you mean list?\nRun tenon --help for usage.\n',
    });
  });

  test("works after npm has linked tenon's binary, as an update of tenon does", async () => {
    const project = projectOf("tenon first");
    const options = { cwd: project, timeoutMs: INSTALL_MS, env: registry.env };
    const { ok, output } = await runBounded("npm", ["rebuild", "--ignore-scripts", "tenon"], options);
    expect(ok, output).toBe(true);
    expect(binaryOf(project)).toBe(OWN_BINARY);
    expect(await npx(project, "tenon", "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});

/** Runs `npm install` in a project, once for each list of arguments. @throws npm's output if it fails */
async function createProject(name: ProjectName, installs: readonly (readonly string[])[]): Promise<void> {
  const cwd = projectOf(name);
  mkdirSync(cwd, { recursive: true });
  if (!existsSync(join(cwd, "package.json")))
    writeFileSync(join(cwd, "package.json"), '{"name":"project","version":"1.0.0","type":"module"}');
  for (const args of installs) {
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
    const options = { cwd, timeoutMs: INSTALL_MS, env: registry.env };
    const { ok, output } = await runBounded("npm", ["install", ...flags, ...args], options);
    if (!ok) throw new Error(output);
  }
}

/** Returns the program that `npx tenon` starts. */
function binaryOf(project: string): string {
  return readlinkSync(join(project, "node_modules/.bin/tenon"));
}

function npx(cwd: string, ...args: readonly string[]) {
  return run("npx", args, cwd);
}

function run(program: string, args: readonly string[], cwd: string) {
  // Hides npm warnings about the user settings.
  const env = { ...registry.env, npm_config_loglevel: "error" };
  return new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      execFile(
        program,
        args,
        { cwd, env, timeout: RUN_MS, killSignal: "SIGKILL" },
        (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : error.code, stdout, stderr });
        },
      );
    },
  );
}
