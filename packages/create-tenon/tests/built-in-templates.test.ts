import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../tools/source-files.js";
import { createTenon, temporaryFolder } from "../../../tests/support/program.js";

const TEMPLATES = `${ROOT}/packages/create-tenon/templates`;
const SEE_HELP = "Run npm create tenon@latest -- --help for usage.\n";
const QUIET = ["--no-install", "--no-git"];

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();

describe("the built-in templates", () => {
  test("minimal is the default, and takes no settings", async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await createTenon(["weather", ...QUIET], { cwd });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Next steps:\n  cd weather\n  npm install\n  npm run dev\n",
    });
    expect(filesOf(`${cwd}/weather`)).toEqual([
      ".gitignore",
      ".vscode/mcp.json",
      "README.md",
      "package.json",
      "src/main.ts",
      "src/server.ts",
      "tests/server.test.ts",
      "tsconfig.build.json",
      "tsconfig.json",
    ]);
    expect(readFileSync(`${cwd}/weather/src/server.ts`, "utf8")).toBe(
      readFileSync(`${TEMPLATES}/minimal/src/server.ts`, "utf8").replace("my-mcp-server", "weather"),
    );
  });

  test.each([
    ["minimal", "npm run dev"],
    ["grouped", "npm run dev"],
    ["worker", "npm run dev"],
    ["agent", "npm run dev"],
    ["app", "npm run build\n  npm run start"],
  ])("--template %s prints the next commands", async (name, commands) => {
    const cwd = temporaryFolder();
    const { code, stdout } = await createTenon(["x", "--template", name, ...QUIET], { cwd });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Next steps:\n  cd x\n  npm install\n  ${commands}\n`,
    });
  });

  test.each<[string, readonly string[], string]>([
    ["a misspelled name", ["--template", "minmal"], 'got "minmal". Did you mean minimal?'],
    ["the start of a name", ["--template", "work"], 'got "work". Did you mean worker?'],
    ["a plural", ["--template", "agents"], 'got "agents". Did you mean agent?'],
    ["an unknown name", ["--template", "nowhere"], 'got "nowhere".'],
  ])("--template rejects %s", async (_what, args, problem) => {
    const cwd = temporaryFolder();
    expect(await createTenon(["x", ...args, ...QUIET], { cwd })).toEqual({
      code: 2,
      stdout: "",
      stderr: `--template must be minimal, grouped, worker, agent, app, or a folder; ${problem}\n${SEE_HELP}`,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.each([
    ["--transport", "http", []],
    ["--auth", "jwt", []],
    ["--auth", "jwt", ["--template", "minimal"]],
    ["--transport", "stdio", ["--template", "grouped"]],
    ["--auth", "none", ["--template", "worker"]],
    ["--auth", "jwt", ["--template", "agent"]],
  ])("%s %s applies only to the template app: %j", async (flag, value, more) => {
    const cwd = temporaryFolder();
    expect(await createTenon(["x", flag, value, ...more, ...QUIET], { cwd })).toEqual({
      code: 2,
      stdout: "",
      stderr: `${flag} applies only to the template app. Add --template app, or remove ${flag}.\n${SEE_HELP}`,
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("a path with a slash selects a folder, even if it has the name of a built-in template", async () => {
    const cwd = temporaryFolder();
    mkdirSync(`${cwd}/app`);
    writeFileSync(`${cwd}/app/package.json`, '{"name":"my-mcp-server","private":true}');
    await createTenon(["own", "--template", "./app", ...QUIET], { cwd });
    expect(filesOf(`${cwd}/own`)).toEqual(["package.json"]);
    await createTenon(["built-in", "--template", "app", ...QUIET], { cwd });
    expect(filesOf(`${cwd}/built-in`)).toContain("src/mcp-server/server.ts");
  });

  test("the name of a Worker is valid, even if the package has a scope", async () => {
    const cwd = temporaryFolder();
    await createTenon(["x", "--template", "worker", "--name", "@me/weather.eu", ...QUIET], { cwd });
    expect(readFileSync(`${cwd}/x/wrangler.jsonc`, "utf8")).toContain('"name": "me-weather-eu",');
    expect(readFileSync(`${cwd}/x/package.json`, "utf8")).toContain('"name": "@me/weather.eu",');
  });

  test("agent gets the project's name, and an example of its settings instead of settings", async () => {
    const cwd = temporaryFolder();
    expect((await createTenon(["helper", "--template", "agent", ...QUIET], { cwd })).code).toBe(0);
    expect(filesOf(`${cwd}/helper`)).toEqual([
      ".env.example",
      ".gitignore",
      "README.md",
      "package.json",
      "src/agent.ts",
      "src/demo-model.ts",
      "src/main.ts",
      "src/model.ts",
      "src/tools.ts",
      "tests/agent.test.ts",
      "tsconfig.build.json",
      "tsconfig.json",
    ]);
    expect(readFileSync(`${cwd}/helper/src/main.ts`, "utf8")).toContain('title: "helper",');
    // Conversations and API keys must not be committed.
    const ignored = readFileSync(`${cwd}/helper/.gitignore`, "utf8").split("\n");
    expect(ignored).toEqual(expect.arrayContaining(["storage/", ".env"]));
  });

  test("app gets the project's name, its settings, and the version from --tenon", async () => {
    const cwd = temporaryFolder();
    const words = ["weather", "--template", "app", "--auth", "jwt", "--tenon", "1.2.3-next.4"];
    expect((await createTenon([...words, ...QUIET], { cwd })).code).toBe(0);
    const files = filesOf(`${cwd}/weather`);
    expect(files).toEqual(expect.arrayContaining([".gitignore", ".env", "package.json", "src/index.ts"]));
    expect(files).not.toContain("gitignore");
    const { name, dependencies } = JSON.parse(readFileSync(`${cwd}/weather/package.json`, "utf8")) as {
      readonly name: string;
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(name).toBe("weather");
    const ours = Object.entries(dependencies).filter(([dependency]) => /^(@tenon\/|tenon$)/.test(dependency));
    expect(Object.fromEntries(ours)).toEqual({
      "@tenon/app": "1.2.3-next.4",
      "@tenon/sdk": "1.2.3-next.4",
      tenon: "1.2.3-next.4",
    });
    expect(readFileSync(`${cwd}/weather/.env`, "utf8")).toMatch(/^MCP_AUTH_SECRET_KEY=[\w-]{64}$/m);
  });
});
