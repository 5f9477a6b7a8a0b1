import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../tools/source-files.js";
import {
  readTemplate,
  TEMPLATE,
  type TemplateFile,
  templateSources,
} from "../support/template/canonical-template.js";

const run = promisify(execFile);
const sources = templateSources("src");
const tests = templateSources("tests");
const all = [...sources, ...tests];
const textOf = ({ text }: TemplateFile) => text;
const code = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

/** Tool and resource folders, with the required name of each register function. */
const parts = ["tools", "resources"].flatMap((kind) =>
  readdirSync(`${TEMPLATE}/src/mcp-server/${kind}`).map((name) => ({
    folder: `src/mcp-server/${kind}/${name}`,
    register: `register${name.charAt(0).toUpperCase()}${name.slice(1)}`,
  })),
);

/** Files that import each service. The entry point closes the database. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  "src/services/notes/notesProvider.ts": [
    "src/index.ts",
    "src/mcp-server/tools/saveNoteTool/logic.ts",
    "src/mcp-server/tools/searchNotesTool/logic.ts",
  ],
  "src/services/weather/weatherProvider.ts": ["src/mcp-server/tools/temperatureTool/logic.ts"],
};

describe("the template's layout", () => {
  test("T11, T12, T31: every tool and resource has the same three files as the echo tool", () => {
    expect(parts.map(({ folder }) => folder)).toEqual([
      "src/mcp-server/tools/echoTool",
      "src/mcp-server/tools/saveNoteTool",
      "src/mcp-server/tools/searchNotesTool",
      "src/mcp-server/tools/temperatureTool",
      "src/mcp-server/resources/echoResource",
    ]);
    for (const { folder } of parts) {
      expect(readdirSync(`${TEMPLATE}/${folder}`).toSorted()).toEqual([
        "index.ts",
        "logic.ts",
        "registration.ts",
      ]);
    }
  });

  test.each(parts)("T11: $folder/index.ts exports only $register", ({ folder, register }) => {
    expect(code(readTemplate(`${folder}/index.ts`)).trim()).toBe(
      `export { ${register} } from "./registration.js";`,
    );
  });

  test.each(parts)(
    "T11: $folder/logic.ts exports schemas, their inferred types, and one function",
    ({ folder }) => {
      const text = readTemplate(`${folder}/logic.ts`);
      expect(text.match(/^export const \w+Schema = z\./gm)?.length).toBe(2);
      expect(text.match(/^export type \w+ = z\.infer<typeof \w+Schema>;$/gm)?.length).toBe(2);
      expect(text.match(/^export async function \w+Logic\(/gm)?.length).toBe(1);
    },
  );

  test.each(parts)(
    "T1, T2: in $folder, only the registration catches errors and formats results",
    ({ folder }) => {
      const logic = code(readTemplate(`${folder}/logic.ts`));
      expect(logic).not.toMatch(/\b(try|catch)\b|isError|\bcontents?:|\bstructuredContent\b/);
      const thrown = [...logic.matchAll(/\bthrow (?:new )?(\w+)/g)].map(([, name]) => name);
      expect(thrown.every((name) => name === "McpError")).toBe(true);
      const registration = code(readTemplate(`${folder}/registration.ts`));
      expect(registration).toMatch(
        /defineToolHandler\(\{|try \{\s+const result = await \w+Logic\([\s\S]+?\} catch \(error\) \{[\s\S]+?ErrorHandler\.handleError\(error/,
      );
      expect(registration).not.toMatch(/\bthrow (?!ErrorHandler\.handleError)/);
    },
  );

  test.each(parts)("T6: only server.ts calls $register", ({ register }) => {
    const callers = sources.filter(({ text }) => code(text).includes(`${register}(server)`));
    expect(callers.map(({ path }) => path)).toEqual(["src/mcp-server/server.ts"]);
    expect(readTemplate("src/mcp-server/server.ts").match(/\bnew McpServer\(/g)).toHaveLength(1);
  });

  test("T32, T33: a service is a class with a single instance, which the logic imports", () => {
    const providers = sources.filter(({ path }) => /^src\/services\/\w+\/\w+Provider\.ts$/.test(path));
    expect(providers.map(({ path }) => path)).toEqual([
      "src/services/notes/notesProvider.ts",
      "src/services/weather/weatherProvider.ts",
    ]);
    for (const { path, text } of providers) {
      const name = path.replace(
        /^.*\/(\w)(\w+)\.ts$/,
        (_, first: string, rest: string) => first.toUpperCase() + rest,
      );
      const instance = name.charAt(0).toLowerCase() + name.slice(1);
      expect(text).toContain(`export class ${name} {`);
      expect(all.map(textOf).join("").split(`export const ${instance} = new ${name}(`)).toHaveLength(2);
      const users = sources.filter((file) => file.text.includes(`import { ${instance} }`));
      expect(users.map((file) => file.path)).toEqual(USERS[path]);
    }
  });

  test("T40: only the configuration reads the environment, and no file contains a secret", () => {
    const readers = sources.filter(({ text }) => /\bprocess\b/.test(code(text)));
    expect(readers.map(({ path }) => path)).toEqual(["src/config/index.ts"]);
    const secret = /\b(password|secret|token|api_?key)\b["']?\s*[:=]\s*["'`]\w/i;
    expect(sources.filter(({ text }) => secret.test(code(text)))).toEqual([]);
    expect(readTemplate(".env.example")).toMatch(/^MCP_AUTH_SECRET_KEY=$/m);
  });
});

describe("the template's files", () => {
  test.each(all)("T34: $path starts with a file overview and its module name", ({ path, text }) => {
    const name = path.replace(/\.ts$/, "").replace(/(?<=^src\/.+)\/index$/, "");
    const [, told] =
      /^\/\*\*\n \* @fileoverview [A-Z][\s\S]+?\.\n \* @module (\S+)\n[\s\S]*?\*\//.exec(text) ?? [];
    expect(told).toBe(name);
  });

  test("T34: every export has a JSDoc comment, and every exported function documents its parameters", () => {
    const exported = all.flatMap(({ path, text }) =>
      [
        ...text.matchAll(
          /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)?\nexport (?!\{|default)(?:async )?\w+ (\w+)(\(| = async \()?/g,
        ),
      ].map(([, doc, name, isFunction]) => ({ path, doc, name, isFunction: isFunction !== undefined })),
    );
    expect(exported.length).toBeGreaterThan(30);
    expect(exported.filter(({ doc }) => doc === undefined)).toEqual([]);
    const inSource = exported.filter(({ path, isFunction }) => isFunction && path.startsWith("src/"));
    expect(inSource.length).toBeGreaterThan(5);
    expect(inSource.filter(({ doc = "" }) => !doc.includes("@param"))).toEqual([]);
  });

  test.each(parts)("T30: in $folder, logic and registration link to each other", ({ folder }) => {
    const see = (file: string) => `@see {@link ${folder}/${file}.ts}`;
    expect(readTemplate(`${folder}/logic.ts`)).toContain(see("registration"));
    expect(readTemplate(`${folder}/registration.ts`)).toContain(see("logic"));
  });

  test("T36: names have more than two letters", () => {
    const short = sources.flatMap(({ path, text }) =>
      [...code(text).matchAll(/\b(?:const|function|class|type|interface) (\w{1,2})\b/g)].map(
        ([, name]) => `${path}: ${name}`,
      ),
    );
    expect(short).toEqual([]);
  });

  test("T37: data is read-only, and every mutable variable has a reason", () => {
    const members = sources.flatMap(({ text }) => code(text).match(/^ {2}#?\w+\??: .*;$/gm) ?? []);
    expect(members).toEqual([]);
    const changing = /\b(let|var)\b|= new (Map|Set)\b|\[\] = \[\]/;
    const unexplained = sources.flatMap(({ path, text }) => {
      const lines = text.split("\n");
      return lines
        .filter(
          (line, index) =>
            changing.test(line) && !/\/\/ Mutable, because /.test(lines.slice(index - 2, index).join()),
        )
        .map((line) => `${path}: ${line.trim()}`);
    });
    expect(unexplained).toEqual([]);
    expect(sources.filter(({ text }) => changing.test(text)).map(({ path }) => path)).toEqual([
      "src/services/weather/weatherProvider.ts",
    ]);
  });

  test("T38: the template is formatted with Prettier, and CI checks it", async () => {
    const { scripts } = JSON.parse(readTemplate("package.json")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    expect(scripts["format"]).toBe("prettier --write .");
    expect(scripts["format:check"]).toBe("prettier --check .");
    expect(readTemplate(".github/workflows/ci.yml")).toContain("- run: npm run format:check\n");
    const prettier = [`${ROOT}/node_modules/prettier/bin/prettier.cjs`, "--check", "."];
    await expect(run(process.execPath, prettier, { cwd: TEMPLATE })).resolves.toBeDefined();
  });
});

describe("the template's tests", () => {
  test("T44: mirror the structure of the source, and use Vitest", () => {
    const folders = new Set(tests.map(({ path }) => path.replace(/\/[^/]+$/, "")));
    folders.delete("tests/support");
    expect(
      [...folders].filter((folder) => !existsSync(`${TEMPLATE}/${folder.replace(/^tests/, "src")}`)),
    ).toEqual([]);
    for (const { folder } of parts) expect(folders).toContain(folder.replace(/^src/, "tests"));
    const files = tests.filter(({ path }) => path.endsWith(".test.ts"));
    expect(files.filter(({ text }) => !/^import \{[^}]+\} from "vitest";$/m.test(text))).toEqual([]);
  });

  test.each(parts)(
    "T54, first-run-d3: cover the integration, logic, and registration of $folder",
    ({ folder }) => {
      expect(readdirSync(`${TEMPLATE}/${folder.replace(/^src/, "tests")}`).toSorted()).toEqual([
        "integration.test.ts",
        "logic.test.ts",
        "registration.test.ts",
      ]);
    },
  );

  test("T45, T52, T53: mock nothing", () => {
    const mocking = /\bvi\.(mock|doMock|fn|spyOn|hoisted|stubGlobal|useFakeTimers)\b/;
    expect(tests.filter(({ text }) => mocking.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("T55: use free local ports only, and close every server that they start", () => {
    const addresses = tests.flatMap(({ text }) => text.match(/\bhttps?:\/\/[^"'`$]+/g) ?? []);
    // The first is a setting's default and is never requested. The second is an origin that the server rejects.
    expect(new Set(addresses)).toEqual(
      new Set(["https://api.open-meteo.com/v1/forecast", "https://evil.example", "http://127.0.0.1:"]),
    );
    const starters = tests.filter(({ text }) =>
      /serveOnFreePort\(|initializeAndStartServer\(|startWeatherEndpoint\(\);|spawn\(/.test(text),
    );
    expect(starters.length).toBeGreaterThan(3);
    for (const { path, text } of starters) {
      expect(text, path).toMatch(/onTestFinished\(|after(Each|All)\(|\.close\(\)/);
    }
  });

  test("T56: have scripts for a single run, for watching, and for coverage", () => {
    const { scripts } = JSON.parse(readTemplate("package.json")) as { readonly scripts: object };
    expect(scripts).toMatchObject({
      test: "vitest run",
      "test:watch": "vitest",
      "test:coverage": "vitest run --coverage",
    });
  });
});
