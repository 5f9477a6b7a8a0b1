import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { beforeAll, describe, expect, test } from "vitest";
import { startTenon, temporaryFolder, tenon } from "../../../../tests/support/program.js";
import {
  connectOfficial,
  createProject,
  listFiles,
  PACKAGE,
  writeFiles,
} from "../support/bundle/weather-project.js";

let project = "";
let report: { code: number | null; stdout: string; stderr: string };

/** Copies a file to an empty folder, and returns its path there. */
function isolate(file: string): string {
  const folder = temporaryFolder();
  const copy = join(folder, basename(file));
  writeFileSync(copy, readFileSync(file));
  return copy;
}

/** Unpacks an archive into an empty folder, as a host does. */
function unpack(file: string): {
  readonly folder: string;
  readonly files: Readonly<Record<string, Uint8Array>>;
} {
  const files = unzipSync(readFileSync(file));
  const folder = temporaryFolder();
  writeFiles(folder, files);
  return { folder, files };
}

beforeAll(async () => {
  project = createProject();
  report = await tenon(["bundle", "src/server.ts"], { cwd: project });
});

describe("tenon bundle", () => {
  test("writes one module and a .mcpb file, and prints their sizes and hashes", () => {
    expect(report.code, report.stderr).toBe(0);
    expect(report.stdout).toMatch(
      /^dist\/weather\.mjs +\d+\.\d kB +sha256 [a-f0-9]{64}\ndist\/weather\.mcpb +\d+\.\d kB +sha256 [a-f0-9]{64}\n$/,
    );
    expect(report.stderr.replaceAll(/\([\d.]+ m?s\)/g, "(time)").replace(/\d+ files/, "7 files")).toBe(
      [
        "the weather server is loaded",
        "Load src/server.ts: 3 tools, 1 resource, 1 prompt (time)",
        "Compile the module and its dependencies: 7 files (time)",
        "Pack the .mcpb file (time)",
        "Start the bundle in an empty folder, and compare it to the module (time)",
        "",
      ].join("\n"),
    );
    expect(listFiles(join(project, "dist"))).toEqual(["weather.mcpb", "weather.mjs"]);
  });

  test.each([1, 2] as const)(
    "the module serves official clients of version %i from an empty folder",
    async (version) => {
      const file = isolate(join(project, "dist/weather.mjs"));
      const client = await connectOfficial(version, { file, cwd: dirname(file) });
      try {
        expect(await client.toolPages()).toEqual([["forecast", "settings", "fail"]]);
        expect(await client.resources()).toEqual(["weather://sky"]);
        expect(await client.prompts()).toEqual(["plan"]);
        expect(await client.callTool("forecast", { city: "Riga" })).toMatchObject({
          content: [{ type: "text", text: "Sunny in Riga, in °C" }],
        });
        expect(client.errors).toEqual([]);
      } finally {
        await client.close();
      }
    },
  );

  test("the module writes only messages to standard output, and exits when the client leaves", async () => {
    const file = isolate(join(project, "dist/weather.mjs"));
    const child = spawn(process.execPath, [file], { cwd: dirname(file), stdio: "pipe" });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    expect(await once(child, "close")).toEqual([0, null]);
    expect(stdout).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  });

  test.runIf(process.platform !== "win32")("the module is a program that npm can install", async () => {
    const child = spawn(join(project, "dist/weather.mjs"), [], { stdio: "pipe" });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    expect(await once(child, "close")).toEqual([0, null]);
    expect(stdout).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n');
  });

  test("stack traces keep the names of functions and classes, and the paths of files are readable", async () => {
    const file = isolate(join(project, "dist/weather.mjs"));
    const child = spawn(process.execPath, [file], { cwd: dirname(file), stdio: "pipe" });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "fail", arguments: {} } };
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    };
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    child.stdin.write(`${JSON.stringify(call)}\n`);
    await expect.poll(() => stderr).toMatch(/no sky over Riga\n\s+at readTheSky \(.*weather\.mjs:\d+:\d+\)/);
    child.stdin.end();
    await once(child, "close");
    const code = readFileSync(file, "utf8");
    expect(code).toContain("\n// src/units.ts\n");
    expect(code).toContain("\n// src/server.ts\n");
  });

  test("the bundle contains neither paths of this machine nor of other folders", () => {
    const code = readFileSync(join(project, "dist/weather.mjs"), "utf8");
    expect(code).not.toContain(project);
    expect(code).not.toContain(dirname(project));
    expect(code).not.toMatch(/^\/\/ \.\.\//m);
    expect(code).toMatch(/^\/\/ node_modules\/zod\//m);
    expect(code).toMatch(/^\/\/ node_modules\/tenon\//m);
  });
});

describe("the .mcpb file", () => {
  test("contains the manifest, the program, the icon, the README, and licenses, in order", () => {
    const { files } = unpack(join(project, "dist/weather.mcpb"));
    expect(Object.keys(files)).toEqual([
      "README.md",
      "icon.png",
      "manifest.json",
      "server/index.mjs",
      "third-party-licenses.txt",
    ]);
    const text = (name: string) => new TextDecoder().decode(files[name]);
    expect(text("server/index.mjs")).toBe(readFileSync(join(project, "dist/weather.mjs"), "utf8"));
    expect(text("third-party-licenses.txt")).toMatch(/^zod\n\nMIT License/m);
    expect(JSON.parse(text("manifest.json"))).toEqual({
      manifest_version: "0.3",
      name: "weather",
      display_name: "Weather",
      version: "1.2.0",
      description: PACKAGE.description,
      author: { name: "Ada Lovelace", email: "ada@example.com", url: "https://example.com/ada" },
      repository: { type: "git", url: "https://github.com/acme/weather-mcp" },
      icon: "icon.png",
      server: {
        type: "node",
        entry_point: "server/index.mjs",
        mcp_config: {
          command: "node",
          args: ["${__dirname}/server/index.mjs"],
          env: {
            WEATHER_API_KEY: "${user_config.weather_api_key}",
            WEATHER_UNITS: "${user_config.weather_units}",
            WEATHER_LIMIT: "${user_config.weather_limit}",
            WEATHER_CACHE: "${user_config.weather_cache}",
          },
        },
      },
      tools: [
        { name: "forecast", description: "Returns the forecast for a city" },
        { name: "settings", description: "Returns the settings" },
        { name: "fail", description: "Always fails" },
      ],
      prompts: [
        {
          name: "plan",
          description: "Plans a day",
          arguments: ["city"],
          text: "Plans a day\n\ncity: ${arguments.city}",
        },
      ],
      keywords: ["weather", "forecast"],
      license: "MIT",
      compatibility: { runtimes: { node: ">=20.19" } },
      user_config: {
        weather_api_key: {
          type: "string",
          title: "Weather API key",
          description: "API key of the weather service",
          required: false,
          sensitive: true,
        },
        weather_units: {
          type: "string",
          title: "Weather units",
          description: "Temperature unit. One of: celsius, fahrenheit.",
          required: false,
          default: "celsius",
        },
        weather_limit: {
          type: "number",
          title: "Weather limit",
          description: "Maximum number of results",
          required: false,
          default: 10,
          min: 1,
          max: 50,
        },
        weather_cache: {
          type: "directory",
          title: "Cache folder",
          description: "Folder for cached data",
          required: false,
        },
      },
    });
  });

  test("runs with the values of a host, which leaves placeholders without a value as they are", async () => {
    const { folder } = unpack(join(project, "dist/weather.mcpb"));
    const env = {
      WEATHER_API_KEY: "${user_config.weather_api_key}",
      WEATHER_UNITS: "fahrenheit",
      WEATHER_LIMIT: "",
      WEATHER_CACHE: "/data",
    };
    const client = await connectOfficial(2, { file: "server/index.mjs", cwd: folder, env });
    try {
      const { content } = await client.callTool("settings");
      const [first] = content as { readonly text: string }[];
      expect(JSON.parse(first?.text ?? "")).toEqual({
        WEATHER_UNITS: "fahrenheit",
        WEATHER_LIMIT: 10,
        WEATHER_CACHE: "/data",
      });
    } finally {
      await client.close();
    }
  });
});

describe("the same input gives the same bytes", () => {
  const bytesOf = (folder: string) =>
    ["dist/weather.mjs", "dist/weather.mcpb"].map((file) =>
      readFileSync(join(folder, file)).toString("base64"),
    );

  test("on repetition, in another time zone and locale", async () => {
    const before = bytesOf(project);
    const { code, stderr } = await tenon(["bundle", "src/server.ts"], {
      cwd: project,
      env: { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8" },
    });
    expect(code, stderr).toBe(0);
    expect(bytesOf(project)).toEqual(before);
  });

  test("in a copy of the project at another depth, run from another folder", async () => {
    const copy = createProject({}, 2);
    const cwd = dirname(copy);
    const { code, stderr } = await tenon(["bundle", "project/src/server.ts", "--out", "project/dist"], {
      cwd,
    });
    expect(code, stderr).toBe(0);
    expect(bytesOf(copy)).toEqual(bytesOf(project));
  });

  test("but another source gives another file", async () => {
    const other = createProject({
      "src/units.ts": "export type Units = string;\nexport const describeUnits = (units: Units) => units;\n",
    });
    const { code, stderr } = await tenon(["bundle", "src/server.ts"], { cwd: other });
    expect(code, stderr).toBe(0);
    const [program, archive] = bytesOf(other);
    expect(bytesOf(project)).not.toContain(program);
    expect(bytesOf(project)).not.toContain(archive);
  });
});

describe("flags", () => {
  test("--json prints the files, the checked lists, and the manifest", async () => {
    const { code, stdout } = await tenon(
      ["bundle", "src/server.ts", "--json", "--out", "out", "--name", "sky"],
      {
        cwd: project,
      },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: "sky",
      files: [
        { format: "esm", path: "out/sky.mjs", bytes: expect.any(Number) as number },
        { format: "mcpb", path: "out/sky.mcpb", sha256: expect.stringMatching(/^[a-f0-9]{64}$/) as string },
      ],
      checked: {
        tools: 3,
        resources: 1,
        resourceTemplates: 0,
        prompts: 1,
        call: { tool: "settings", isError: false },
      },
      manifest: { name: "sky", manifest_version: "0.3" },
    });
  });

  test("--out with a file name selects the format, and --format esm does not need package.json to be complete", async () => {
    const bare = createProject({ "package.json": '{ "name": "bare", "type": "module" }' });
    const first = await tenon(["bundle", "src/server.ts", "--out", "build/server.mjs"], { cwd: bare });
    expect(first.code, first.stderr).toBe(0);
    const second = await tenon(["bundle", "src/server.ts", "--format", "esm"], { cwd: bare });
    expect(second.code, second.stderr).toBe(0);
    expect(existsSync(join(bare, "build/server.mjs"))).toBe(true);
    expect(listFiles(join(bare, "dist"))).toEqual(["bare.mjs"]);
  });

  test.each<[readonly string[], string]>([
    [["src/server.ts", "--format", "zip"], '--format must be one of esm, mcpb, both; got "zip".'],
    [
      ["src/server.ts", "--out", "a.mcpb", "--format", "esm"],
      '--out "a.mcpb" is a file of the format mcpb, but --format is esm.',
    ],
    [
      ["src/server.ts", "--out", "a.js"],
      '--out must end with .mjs, because Node.js may take a .js file for CommonJS; got "a.js".',
    ],
    [
      ["src/server.ts", "--output", "x"],
      '--output must be one of text, json; got "x". Use --out for the folder.',
    ],
    [["https://example.com/mcp"], "The argument must be a file, not a URL."],
    [["src/server.ts", "--external", "../x"], '--external must be the name of a package; got "../x".'],
    [[], "tenon bundle requires the argument <file>."],
  ])("%j is an invalid command line", async (args, problem) => {
    const { code, stdout, stderr } = await tenon(["bundle", ...args], { cwd: project });
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `${problem}\nRun tenon bundle --help for usage.\n`,
    });
  });

  test("a file that does not exist is reported with the closest name", async () => {
    const { code, stderr } = await tenon(["bundle", "src/sevrer.ts"], { cwd: project });
    expect(code).toBe(2);
    expect(stderr).toContain('File "src/sevrer.ts" not found. Did you mean server.ts?\n');
  });

  test("a second run replaces files, and other files stay", async () => {
    const folder = createProject();
    mkdirSync(join(folder, "dist"));
    writeFileSync(join(folder, "dist/weather.mjs"), "old");
    writeFileSync(join(folder, "dist/other.txt"), "mine");
    const { code } = await tenon(["bundle", "src/server.ts", "--format", "esm"], { cwd: folder });
    expect(code).toBe(0);
    expect(listFiles(join(folder, "dist"))).toEqual(["other.txt", "weather.mjs"]);
    expect(readFileSync(join(folder, "dist/weather.mjs"), "utf8")).toContain("serveStdio");
  });
});

describe("an interrupted run", () => {
  test("ends with exit code 130, writes nothing, and removes its temporary folder", async () => {
    // The module starts only where it was written, so the bundle waits until it is stopped.
    const hanging = `
if (!import.meta.url.endsWith("/server.ts")) await new Promise(() => setInterval(() => {}, 1_000));
import { defineServer } from "tenon";
export default defineServer({ name: "weather", version: "1.2.0" }).tool("a", { handler: () => "a" });
`;
    const folder = createProject({ "src/server.ts": hanging });
    const temporary = temporaryFolder();
    const child = startTenon(["bundle", "src/server.ts"], { cwd: folder, env: { TMPDIR: temporary } });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await expect
      .poll(() => listFiles(temporary))
      .toContainEqual(expect.stringMatching(/server\/index\.mjs$/));
    child.kill("SIGINT");
    const [code] = (await once(child, "close")) as [number | null];
    expect({ code, written: existsSync(join(folder, "dist")) }).toEqual({ code: 130, written: false });
    expect(stderr).toMatch(/Interrupted\.\n$/);
    // The TypeScript loader has a cache there too.
    expect(readdirSync(temporary).filter((name) => name.startsWith("tenon-bundle-"))).toEqual([]);
  });
});
