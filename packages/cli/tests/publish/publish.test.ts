import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tenon, tenonInProcess } from "../../../../tests/support/program.js";
import { SERVER_SCHEMA_URL } from "../../src/publish/registry-schema.js";
import { createProject, PACKAGE, packageWith } from "../support/bundle/weather-project.js";

const NAME = "io.github.acme/weather";
const RELEASE = "https://github.com/acme/weather-mcp/releases/download/v1.2.0/weather.mcpb";
const COMPLETE = { "package.json": packageWith({ mcpName: NAME }) };

const NPM = {
  registryType: "npm",
  identifier: "@acme/weather",
  version: "1.2.0",
  runtimeHint: "npx",
  transport: { type: "stdio" },
};

const VARIABLES = [
  { name: "WEATHER_API_KEY", description: "API key of the weather service", isSecret: true },
  {
    name: "WEATHER_UNITS",
    description: "Temperature unit",
    default: "celsius",
    choices: ["celsius", "fahrenheit"],
  },
  { name: "WEATHER_LIMIT", description: "Maximum number of results", format: "number", default: "10" },
  { name: "WEATHER_CACHE", description: "Folder for cached data", format: "filepath" },
];

const SERVER = {
  $schema: SERVER_SCHEMA_URL,
  name: NAME,
  title: "Weather",
  description: PACKAGE.description,
  repository: { url: "https://github.com/acme/weather-mcp", source: "github" },
  version: "1.2.0",
  packages: [{ ...NPM, environmentVariables: VARIABLES }],
};

const read = (folder: string, file: string) => readFileSync(join(folder, file), "utf8");

describe("tenon publish --dry-run", () => {
  test("prints server.json and changes no file", async () => {
    const folder = createProject(COMPLETE);
    const { code, stdout, stderr } = await tenon(["publish", "src/server.ts", "--dry-run"], { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "the weather server is loaded\nNo problems found. Nothing was written.\n",
    });
    expect(JSON.parse(stdout)).toEqual(SERVER);
    expect(existsSync(join(folder, "server.json"))).toBe(false);
    expect(read(folder, "package.json")).toBe(COMPLETE["package.json"]);
  });

  test("reports all problems at once, one line each, with exit code 1", async () => {
    const folder = createProject({
      "package.json": packageWith({
        private: true,
        bin: undefined,
        description: "a".repeat(101),
        mcpName: "io.github.acme/other",
      }),
      "server.json": JSON.stringify({
        name: "io.github.acme/other",
        status: "active",
        packages: [{ registry_type: "npm" }],
      }),
    });
    const args = [
      "publish",
      "--dry-run",
      "--name",
      NAME,
      "--remote",
      "https://localhost/mcp",
      "--mcpb",
      "https://example.com/x.zip",
    ];
    const { code, stdout, stderr } = await tenonInProcess(args, { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      "The registry would reject this server (13 problems). Nothing was written.",
      '- The file "dist/weather.mcpb" does not exist. Create it with tenon bundle, or pass its path with --mcpb-file.',
      '- package.json: "private" is true, so npm rejects the package. Change it, or leave the package out with --no-npm.',
      '- package.json: "bin" is missing, so clients cannot start the package with npx. Change it, or leave the package out with --no-npm.',
      `- package.json: "mcpName" must be "${NAME}"; got "io.github.acme/other".`,
      "- server.json: description must have at most 100 characters; got 101.",
      "- server.json: packages[1].fileSha256 is required for a .mcpb file.",
      "- server.json: packages[1].identifier must be a file of a release on github.com or gitlab.com; got example.com.",
      "- server.json: packages[2].registryType must be one of npm, pypi, nuget, oci, cargo, mcpb; got undefined.",
      "- server.json: packages[2].identifier must be a non-empty string.",
      "- server.json: packages[2].transport must be an object; got undefined.",
      "- server.json: remotes[0].url must be reachable from other machines; got the host localhost.",
      "- server.json: status is not allowed, because the registry sets it. Remove it.",
      "- server.json: packages[2].registry_type is an old name. Rename it to registryType.",
      "",
    ]);
  });

  test("requires mcpName, and derives the name from the repository", async () => {
    const folder = createProject();
    const { code, stderr } = await tenonInProcess(["publish", "--dry-run"], { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "The registry would reject this server (1 problem). Nothing was written.\n" +
        `- package.json: "mcpName" is missing. Add "mcpName": "${NAME}", or run tenon publish without --dry-run, which adds it.\n`,
    });
  });

  test("asks for a name that it cannot derive, once", async () => {
    const folder = createProject({ "package.json": packageWith({ repository: undefined }) });
    const { code, stderr } = await tenonInProcess(["publish", "--dry-run"], { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "The registry would reject this server (1 problem). Nothing was written.\n" +
        "- The name in the registry is unknown. Pass it with --name, such as --name io.github.user/server.\n",
    });
  });

  test("--json prints the problems for programs", async () => {
    const folder = createProject();
    const { code, stdout } = await tenonInProcess(["publish", "--dry-run", "--json"], { cwd: folder });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^package\.json: "mcpName" is missing/) as string],
      server: { name: NAME },
    });
  });

  test("reports the problems of a declared configuration", async () => {
    const source = `
import { defineServer } from "tenon";
import { z } from "zod";
export const config = z.object({ API_KEY: z.string() });
export default defineServer({ name: "weather", version: "1.2.0" }).tool("a", { description: "A", handler: () => "a" });
`;
    const folder = createProject({ ...COMPLETE, "src/server.ts": source });
    const { code, stderr } = await tenonInProcess(["publish", "src/server.ts", "--dry-run"], { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain(
      '- src/server.ts: config.API_KEY has no description. Add one, such as .describe("…").\n',
    );
  });

  test.each<[readonly string[], string]>([
    [["--dry"], "Unknown flag --dry. Did you mean --dry-run?"],
    [["https://example.com"], "The argument must be a file, not a URL."],
    [["a.ts", "b.ts"], 'Unexpected argument "b.ts".'],
  ])("%j is an invalid command line", async (args, problem) => {
    const folder = createProject();
    const { code, stderr } = await tenonInProcess(["publish", ...args], { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `${problem}\nRun tenon publish --help for usage.\n`,
    });
  });

  test("a server.json that is not JSON is reported", async () => {
    const folder = createProject({ ...COMPLETE, "server.json": "{" });
    const { code, stderr } = await tenonInProcess(["publish", "--dry-run"], { cwd: folder });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: '"server.json" does not contain a valid JSON object. Correct or remove it.\n',
    });
  });
});

describe("tenon publish", () => {
  test("writes server.json, adds mcpName, and lists the commands that publish, without running them", async () => {
    const folder = createProject();
    const { code, stdout, stderr } = await tenon(["publish", "src/server.ts"], { cwd: folder });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "",
      stderr: [
        "the weather server is loaded",
        "Wrote server.json.",
        "Wrote package.json.",
        "To publish the server, run these steps. A published version cannot be changed.",
        "  1. npm publish --access public",
        "  2. mcp-publisher login github",
        "  3. mcp-publisher publish server.json",
        "",
      ].join("\n"),
    });
    expect(read(folder, "server.json")).toBe(`${JSON.stringify(SERVER, null, 2)}\n`);
    const [first = "", second = "", ...rest] = packageWith({}).split("\n");
    expect(read(folder, "package.json")).toBe([first, second, `  "mcpName": "${NAME}",`, ...rest].join("\n"));
    const again = await tenon(["publish", "src/server.ts", "--dry-run"], { cwd: folder });
    expect(again.code, again.stderr).toBe(0);
  });

  test("keeps the members of an existing file that it does not generate, and updates the others", async () => {
    const existing = {
      $schema: SERVER_SCHEMA_URL,
      name: NAME,
      description: "Old",
      version: "1.0.0",
      icons: [{ src: "https://example.com/icon.png" }],
      packages: [
        { ...NPM, version: "1.0.0", packageArguments: [{ type: "positional", value: "serve" }] },
        { registryType: "oci", identifier: "ghcr.io/acme/weather:1.0.0", transport: { type: "stdio" } },
      ],
      remotes: [
        {
          type: "streamable-http",
          url: "https://mcp.example.com/mcp",
          headers: [{ name: "X-Key", isSecret: true }],
        },
      ],
    };
    const folder = createProject({ ...COMPLETE, "server.json": JSON.stringify(existing) });
    const { code, stderr } = await tenonInProcess(["publish", "--remote", "https://mcp.example.com/mcp"], {
      cwd: folder,
    });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(read(folder, "server.json"))).toEqual({
      ...existing,
      description: PACKAGE.description,
      version: "1.2.0",
      repository: SERVER.repository,
      packages: [{ ...existing.packages[0], version: "1.2.0" }, existing.packages[1]],
    });
  });

  test("--no-npm with a remote needs neither bin nor mcpName", async () => {
    const folder = createProject({ "package.json": packageWith({ private: true, bin: undefined }) });
    const args = [
      "publish",
      "--no-npm",
      "--remote",
      "https://mcp.example.com/mcp",
      "--out",
      "registry.json",
      "--json",
    ];
    const { code, stdout, stderr } = await tenonInProcess(args, { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      files: ["registry.json"],
      nextSteps: ["mcp-publisher login github", "mcp-publisher publish registry.json"],
      server: { remotes: [{ type: "streamable-http", url: "https://mcp.example.com/mcp" }] },
    });
    expect(JSON.parse(read(folder, "registry.json"))).not.toHaveProperty("packages");
    expect(JSON.parse(read(folder, "package.json"))).not.toHaveProperty("mcpName");
  });

  test("--mcpb adds the bundle with its hash, and rejects a bundle of another version", async () => {
    const folder = createProject(COMPLETE);
    const bundled = await tenonInProcess(["bundle", "src/server.ts", "--format", "mcpb"], { cwd: folder });
    expect(bundled.code, bundled.stderr).toBe(0);
    const args = ["publish", "src/server.ts", "--mcpb", RELEASE];
    const { code, stderr } = await tenonInProcess(args, { cwd: folder });
    expect(code, stderr).toBe(0);
    const sha256 = createHash("sha256")
      .update(readFileSync(join(folder, "dist/weather.mcpb")))
      .digest("hex");
    expect(JSON.parse(read(folder, "server.json"))).toMatchObject({
      packages: [
        NPM,
        { registryType: "mcpb", identifier: RELEASE, fileSha256: sha256, transport: { type: "stdio" } },
      ],
    });

    writeFileSync(join(folder, "package.json"), packageWith({ mcpName: NAME, version: "1.3.0" }));
    const stale = await tenonInProcess([...args, "--dry-run"], { cwd: folder });
    expect(stale.code).toBe(1);
    expect(stale.stderr).toContain(
      '- "dist/weather.mcpb" has version "1.2.0", but package.json has "1.3.0". Run tenon bundle again.\n',
    );
    writeFileSync(join(folder, "dist/weather.mcpb"), "not a zip archive");
    const broken = await tenonInProcess([...args, "--dry-run"], { cwd: folder });
    expect(broken.stderr).toContain(
      '- "dist/weather.mcpb" is not a .mcpb file: it has no valid manifest.json.\n',
    );
  });

  test("writes nothing if there is a problem", async () => {
    const folder = createProject({ "package.json": packageWith({ version: "1.x" }) });
    const before = read(folder, "package.json");
    const { code } = await tenonInProcess(["publish"], { cwd: folder });
    expect(code).toBe(1);
    expect(existsSync(join(folder, "server.json"))).toBe(false);
    expect(read(folder, "package.json")).toBe(before);
  });
});
