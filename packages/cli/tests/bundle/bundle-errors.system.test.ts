import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder, tenon, tenonInProcess } from "../../../../tests/support/program.js";
import {
  connectOfficial,
  createProject,
  packageWith,
  type ProjectFiles,
  writeFiles,
} from "../support/bundle/weather-project.js";

const server = (body: string) => `
import { defineServer } from "tenon";
${body}
export default defineServer({ name: "weather", version: "1.2.0" }).tool("a", { description: "A", handler: () => "a" });
`;

/** Runs the command in a project. Checks that it writes nothing and leaves no temporary folder. */
async function failToBundle(files: ProjectFiles, args: readonly string[] = []): Promise<string> {
  const folder = createProject(files);
  const temporary = temporaryFolder();
  const { code, stdout, stderr } = await tenonInProcess(["bundle", "src/server.ts", ...args], {
    cwd: folder,
    env: { TMPDIR: temporary },
  });
  expect({ code, stdout, written: existsSync(join(folder, "dist")) }).toEqual({
    code: 1,
    stdout: "",
    written: false,
  });
  expect(readdirSync(temporary).filter((name) => name.startsWith("tenon-bundle-"))).toEqual([]);
  return stderr;
}

describe("a module that cannot be loaded", () => {
  test.each<[string, string, RegExp]>([
    ["has a syntax error", "export default {", /^Could not load "src\/server\.ts": .*src\/server\.ts:1:\d+/],
    [
      "does not export anything",
      "const x = 1;",
      /^"src\/server\.ts" does not export anything\. Add `export default server`\./,
    ],
    [
      "does not export a server",
      "export const x = 1;",
      /^"src\/server\.ts" does not export a server\. It exports: x\./,
    ],
    [
      "fails at the start",
      'throw new Error("the database is not there");',
      /^Could not load "src\/server\.ts": the database is not there \(src\/server\.ts:1:7\)\.\n$/,
    ],
    [
      "imports a missing package",
      'import "not-installed-anywhere";',
      /^Could not load "src\/server\.ts": .*not-installed-anywhere/,
    ],
  ])("%s", async (_title, source, expected) => {
    const stderr = await failToBundle({ "src/server.ts": source });
    expect(stderr).toMatch(/^Load src\/server\.ts: failed \(.*\)\n/);
    expect(stderr.slice(stderr.indexOf("\n") + 1)).toMatch(expected);
  });
});

describe("a package.json that is not complete", () => {
  const MORE =
    'A .mcpb file requires more members in "package.json". To create only a module, use --format esm.';

  test("is reported with all missing members and examples", async () => {
    const stderr = await failToBundle({
      "package.json": packageWith({ description: undefined, author: undefined, version: "" }),
    });
    expect(stderr.split("\n").slice(-5)).toEqual([
      MORE,
      '- "version" is missing or empty. Add it, such as "version": "1.0.0".',
      '- "description" is missing or empty. Add it, such as "description": "Weather forecasts for any city".',
      '- "author" is missing or empty. Add it, such as "author": "Ada Lovelace <ada@example.com>".',
      "",
    ]);
  });

  test("is reported with the problems that the schema of the manifest finds", async () => {
    const author = { name: "Ada", email: "not an address" };
    const stderr = await failToBundle({ "package.json": packageWith({ author }) });
    expect(stderr).toContain(
      'The manifest is not valid. Correct the members in "package.json".\n- author.email ',
    );
  });

  test.each<[string, ProjectFiles, string]>([
    ["is not JSON", { "package.json": "{" }, '"package.json" does not contain a valid JSON object.\n'],
    [
      "has an unusable name",
      { "package.json": packageWith({ name: "wéather" }) },
      'The name of the bundle must consist of 1 to 100 letters, digits, and the characters . _ -; got "wéather". Set it with --name.\n',
    ],
  ])("%s", async (_title, files, expected) => {
    expect(await failToBundle(files)).toBe(expected);
  });

  test("an icon must be a PNG image", async () => {
    const stderr = await failToBundle({ "icon.png": "<svg/>" });
    expect(stderr).toContain('"icon.png" must be a PNG image, because hosts show no other format.\n');
  });
});

describe("a declared configuration that is not usable", () => {
  test("is reported with all problems", async () => {
    const config = `
import { z } from "zod";
export const config = z.object({
  apiKey: z.string().describe("Key"),
  API_KEY: z.string(),
  TAGS: z.array(z.string()).describe("Tags"),
});`;
    expect(await failToBundle({ "src/server.ts": server(config) })).toMatch(
      /The export `config` of "src\/server\.ts" is not valid\.\n- config\.apiKey must be named like an environment variable, such as API_KEY\.\n- config\.API_KEY has no description\. Add one, such as \.describe\("…"\)\.\n- config\.TAGS must be a schema for a string, a number, or a boolean; got an array schema\.\n$/,
    );
  });

  test("is ignored with a note if it is not a schema", async () => {
    const folder = createProject({ "src/server.ts": server("export const config = { port: 3000 };") });
    const { code, stderr } = await tenonInProcess(["bundle", "src/server.ts"], { cwd: folder });
    expect(code).toBe(0);
    expect(stderr).toContain("The export `config` is not a schema, so the server declares no configuration.");
  });
});

describe("native addons", () => {
  const useIt = server('import { speed } from "fast-native";\nspeed();');
  const jsOnly = { "node_modules/fast-native/index.js": "exports.speed = () => 1;" };

  test.each<[string, ProjectFiles]>([
    [
      "that are compiled at installation",
      {
        ...jsOnly,
        "node_modules/fast-native/package.json": '{ "name": "fast-native", "version": "1.0.0" }',
        "node_modules/fast-native/binding.gyp": "{}",
      },
    ],
    [
      "that a package loads directly",
      {
        "node_modules/fast-native/package.json": '{ "name": "fast-native", "version": "1.0.0" }',
        "node_modules/fast-native/index.js":
          'exports.speed = () => 1;\nif (exports.never) require("./build/fast.node");',
        "node_modules/fast-native/build/fast.node": "\u007fELF",
      },
    ],
  ])("%s are rejected with the name of the package", async (_title, files) => {
    const stderr = await failToBundle({ ...files, "src/server.ts": useIt });
    expect(stderr).toContain(
      'The package "fast-native" contains a native addon, which cannot be part of a bundle. ' +
        "Use a package without native code, or leave it out with --external fast-native.\n",
    );
  });

  test("--external leaves the package out of a module, but a .mcpb file must work without it", async () => {
    const files = {
      ...jsOnly,
      "node_modules/fast-native/package.json":
        '{ "name": "fast-native", "version": "1.0.0", "gypfile": true }',
      "src/server.ts": useIt,
    };
    const folder = createProject(files);
    const args = ["bundle", "src/server.ts", "--external", "fast-native"];
    const { code, stderr } = await tenonInProcess([...args, "--format", "esm"], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(readFileSync(join(folder, "dist/weather.mjs"), "utf8")).toMatch(/from "fast-native"/);
    expect(await failToBundle(files, ["--external", "fast-native"])).toMatch(
      /The bundle does not start, so nothing was written\.\nThe program exited with code 1\. Standard error output:\n[\s\S]*Cannot find package 'fast-native'/,
    );
  });
});

describe("a bundle that behaves differently than its module", () => {
  test("is not written, and the error contains the program's standard error output", async () => {
    const reading = `
import { readFileSync } from "node:fs";
const data = readFileSync(new URL("./data.txt", import.meta.url), "utf8");
console.error("read", data);`;
    const stderr = await failToBundle({ "src/server.ts": server(reading), "src/data.txt": "data" });
    expect(stderr).toMatch(
      /The bundle does not start, so nothing was written\.\nThe program exited with code 1\. Standard error output:\n[\s\S]*ENOENT: no such file or directory.*data\.txt/,
    );
  });

  test("is not written, and the error lists the differences", async () => {
    const changing = `
import { defineServer } from "tenon";
const isBundled = !import.meta.url.endsWith("/server.ts");
const base = defineServer({ name: "weather", version: isBundled ? "2.0.0" : "1.2.0" });
const common = base.tool("same", { description: isBundled ? "B" : "A", handler: () => "a" });
export default isBundled
  ? common.tool("late", { description: "L", handler: () => "l" })
  : common.tool("early", { description: "E", handler: () => "e" });
`;
    const stderr = await failToBundle({ "src/server.ts": changing });
    expect(stderr.split("\n").slice(-6)).toEqual([
      "The bundle behaves differently than the module, so nothing was written.",
      "- The server's name, version, or title is different.",
      '- Tool "same" is defined differently.',
      '- Tool "early" is missing.',
      '- Tool "late" is not in the module.',
      "",
    ]);
  });

  test("is not written if a tool that is safe to call fails only in the bundle", async () => {
    const lazy = `
import { defineServer } from "tenon";
import { readFileSync } from "node:fs";
export default defineServer({ name: "weather", version: "1.2.0" }).tool("read", {
  description: "Reads",
  annotations: { readOnlyHint: true, openWorldHint: false },
  handler: () => readFileSync(new URL("./data.txt", import.meta.url), "utf8"),
});
`;
    const stderr = await failToBundle({ "src/server.ts": lazy, "src/data.txt": "data" });
    expect(stderr).toContain('- Tool "read" fails in the bundle, but not in the module.\n');
  });

  test("a tool that does not declare that it is safe is never called", async () => {
    const marking = `
import { defineServer } from "tenon";
import { appendFileSync } from "node:fs";
const mark = (name: string) => () => (appendFileSync(process.env["MARKS"] ?? "", name + "\\n"), name);
export default defineServer({ name: "weather", version: "1.2.0" })
  .tool("plain", { description: "P", handler: mark("plain") })
  .tool("open", { description: "O", annotations: { readOnlyHint: true }, handler: mark("open") })
  .tool("writes", { description: "W", annotations: { openWorldHint: false }, handler: mark("writes") })
  .tool("safe", { description: "S", annotations: { readOnlyHint: true, openWorldHint: false }, handler: mark("safe") });
`;
    const folder = createProject({ "src/server.ts": marking });
    const marks = join(temporaryFolder(), "marks.txt");
    const { code, stderr } = await tenon(["bundle", "src/server.ts"], { cwd: folder, env: { MARKS: marks } });
    expect(code, stderr).toBe(0);
    expect(readFileSync(marks, "utf8")).toBe("safe\nsafe\n");
  });
});

describe("other kinds of modules", () => {
  test.each<[string, string, string]>([
    [
      "an official SDK server, version 1",
      `
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
export default function createServer() {
  const server = new McpServer({ name: "weather", version: "1.2.0" });
  server.registerTool("shout", { description: "S", inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: "text", text: text.toUpperCase() }],
  }));
  return server;
}
`,
      "shout",
    ],
    [
      "an official SDK server, version 2",
      `
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
export default async function createServer() {
  const server = new McpServer({ name: "weather", version: "1.2.0" });
  server.registerTool("shout", { description: "S", inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text: text.toUpperCase() }],
  }));
  return server;
}
`,
      "shout",
    ],
    [
      "a drop-in of @tenon/sdk",
      `
import { McpServer } from "@tenon/sdk";
import { z } from "zod";
export const server = new McpServer({ name: "weather", version: "1.2.0" });
server.registerTool("shout", { description: "S", inputSchema: { text: z.string() } }, ({ text }) => ({
  content: [{ type: "text", text: text.toUpperCase() }],
}));
`,
      "shout",
    ],
    [
      "a module with a context, a lazy import, and a CommonJS dependency",
      `
import { defineServer } from "tenon";
import { z } from "zod";
import helper from "old-library";
export const context = Promise.resolve({ suffix: "!" });
export const app = defineServer<{ suffix: string }>({ name: "weather", version: "1.2.0" }).tool("shout", {
  description: "S",
  input: z.object({ text: z.string() }),
  handler: async ({ text }, call) => {
    const { upper } = await import("./lazy.js");
    return helper.join(upper(text), call.context.suffix).replace("/!", "");
  },
});
`,
      "shout",
    ],
  ])("%s is bundled and runs in an empty folder", async (_title, source, tool) => {
    const folder = createProject({
      "src/server.ts": source,
      "src/lazy.ts": "export const upper = (text: string) => text.toUpperCase();\n",
      "node_modules/old-library/package.json": '{ "name": "old-library", "version": "1.0.0" }',
      "node_modules/old-library/index.js":
        'const path = require("path");\nif (typeof __dirname !== "string") throw new Error("no __dirname");\nmodule.exports = { join: path.posix.join };\n',
    });
    const { code, stderr } = await tenonInProcess(["bundle", "src/server.ts"], { cwd: folder });
    expect(code, stderr).toBe(0);
    const empty = temporaryFolder();
    writeFiles(empty, { "server.mjs": readFileSync(join(folder, "dist/weather.mjs")) });
    const client = await connectOfficial(1, { file: "server.mjs", cwd: empty });
    try {
      expect(await client.callTool(tool, { text: "hi" })).toMatchObject({
        content: [{ type: "text", text: "HI" }],
      });
    } finally {
      await client.close();
    }
  });

  test("an export that is selected by name", async () => {
    const source = server(
      'export const admin = defineServer({ name: "admin", version: "1.2.0" }).tool("ban", { description: "B", handler: () => "b" });',
    );
    const folder = createProject({ "src/server.ts": source });
    const { code, stdout, stderr } = await tenonInProcess(["bundle", "src/server.ts:admin", "--json"], {
      cwd: folder,
    });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ manifest: { tools: [{ name: "ban", description: "B" }] } });
  });

  test("a module that starts a server when it is run directly does not start a second one", async () => {
    const starting = `${server("")}
if (import.meta.main) throw new Error("started twice");
`;
    const folder = createProject({ "src/server.ts": starting });
    const { code, stderr } = await tenonInProcess(["bundle", "src/server.ts", "--format", "esm"], {
      cwd: folder,
    });
    expect(code, stderr).toBe(0);
    // Older versions of Node.js do not have the member, so the code is checked too.
    expect(readFileSync(join(folder, "dist/weather.mjs"), "utf8")).not.toContain("import.meta.main");
  });
});
