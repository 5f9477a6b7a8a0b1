import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { parseArguments } from "@tenon/internal/command-line/parse-arguments";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isOffline, type LocalRegistry, startRegistry } from "../../tools/local-registry.js";
import { toNewCommand } from "../../tools/new-project.js";
import { runBounded } from "../../tools/process.js";
import { ROOT } from "../../tools/source-files.js";
import { connectV2 } from "../../tools/official-clients/v2-client.js";

const INSTALL_MS = 240_000;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-new-")));
const build = vi.fn(() => Promise.resolve());
let registry: LocalRegistry;

beforeAll(async () => {
  registry = await startRegistry([]);
});

afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command of `npm run new`. */
async function runNew(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const command = toNewCommand(build);
  const code = await command.run(parseArguments(command, argv), {
    cwd: folder,
    env,
    stdin: new PassThrough(),
    stdout,
    stderr,
    isInteractive: true,
    signal: new AbortController().signal,
  });
  return { code, stdout: await readText(stdout.end()), stderr: await readText(stderr.end()) };
}

const readManifest = (project: string) =>
  JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as Readonly<Record<string, unknown>>;

describe("npm run new", () => {
  test(
    "creates a project with the packages of this clone, which installs, passes its tests, and starts",
    async (ctx) => {
      const project = join(folder, "my server");
      const created = await runNew(["my server"]);
      expect(created).toEqual({
        code: 0,
        stdout: 'Next steps:\n  cd "my server"\n  npm install\n  npm run dev\n',
        stderr: [
          "Building the packages, unless they are up to date...",
          `Created my-server: 9 files in ${project}`,
          `Packed @tenon/cli, tenon into ${project}/vendor`,
          "",
        ].join("\n"),
      });
      expect(build).toHaveBeenCalledOnce();
      expect(readManifest(project)).toMatchObject({
        name: "my-server",
        dependencies: { tenon: "file:vendor/tenon-0.1.0.tgz", zod: "^4.2.0" },
        devDependencies: { "@tenon/cli": "file:vendor/tenon-cli-0.1.0.tgz" },
      });
      const npm = (...args: readonly string[]) =>
        runBounded("npm", args, { cwd: project, timeoutMs: INSTALL_MS, env: registry.env });
      const { ok, output } = await npm("install", "--no-audit", "--no-fund", "--fetch-retries=1");
      if (!ok && isOffline(output)) return ctx.skip("Could not reach the npm registry.");
      expect(ok, output).toBe(true);
      for (const script of ["test", "build"]) expect(await npm("run", script)).toMatchObject({ ok: true });
      // The same as `npm start`, but without npm's own output.
      const program = { command: process.execPath, args: ["dist/main.js"], cwd: project };
      const client = await connectV2("auto", new StdioClientTransport({ ...program, stderr: "ignore" }));
      expect((await client.callTool("forecast", { city: "Riga" })).structuredContent).toEqual({
        celsius: 19,
      });
      await client.close();
    },
    4 * INSTALL_MS,
  );

  test("packs packages that only other packages need, so that npm does not look for them in its registry", async () => {
    const project = join(folder, "my-app");
    expect(await runNew(["my-app", "--template", "app", "--auth", "jwt"])).toMatchObject({ code: 0 });
    expect(readManifest(project)).toMatchObject({
      dependencies: { "@tenon/app": "file:vendor/tenon-app-0.1.0.tgz" },
      // The README uses the command line.
      devDependencies: { "@tenon/cli": "file:vendor/tenon-cli-0.1.0.tgz" },
      overrides: { "@tenon/auth": "file:vendor/tenon-auth-0.1.0.tgz" },
    });
    const names = ["app", "auth", "cli", "sdk"].map((name) => `tenon-${name}-0.1.0.tgz`);
    expect(readdirSync(join(project, "vendor")).toSorted()).toEqual(["tenon-0.1.0.tgz", ...names].toSorted());
    expect(readFileSync(join(project, ".env"), "utf8")).toContain("MCP_AUTH_MODE=jwt");
  });

  test.each<readonly [mistake: string, argv: readonly string[], message: string]>([
    ["no folder", [], "No folder specified. Pass the folder to create: npm run new -- ../my-server"],
    [
      "a folder in this clone",
      [`${ROOT}/my-server`],
      `The folder must be outside this clone; got ${ROOT}/my-server. For example: npm run new -- `,
    ],
    [
      "this clone",
      [ROOT],
      `The folder must be outside this clone; got ${ROOT}. For example: npm run new -- `,
    ],
    ["a folder that contains files", ["full"], `${folder}/full is not empty. Choose a different folder.`],
    [
      "an unknown template",
      ["new", "--template", "minmal"],
      '--template must be minimal, grouped, worker, agent, app, or a folder; got "minmal". Did you mean minimal?',
    ],
    ["an option that does not apply", ["new", "--no-install"], "Unknown flag --no-install."],
    ["two folders", ["my", "server"], 'Unexpected argument "server".'],
  ])("explains %s, and builds nothing", async (_mistake, argv, message) => {
    mkdirSync(join(folder, "full"), { recursive: true });
    writeFileSync(join(folder, "full/notes.txt"), "mine");
    build.mockClear();
    await expect((async () => runNew(argv))()).rejects.toThrow(message);
    expect(build).not.toHaveBeenCalled();
  });

  test('explains that npm takes options before "--" for its own', async () => {
    await expect(runNew(["new"], { npm_config_template: "agent" })).rejects.toThrow(
      'npm did not pass on --template. Add "--" before the arguments: npm run new -- ../my-server --template',
    );
  });
});
