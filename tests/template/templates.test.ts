import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../tools/source-files.js";
import { manifestOf, TEMPLATES_FOLDER as TEMPLATES } from "../support/templates.js";

/** Matches the package in the specifier of an import. */
const IMPORT = /(?:\bfrom |\bimport\(|^import )"((?:@[^/"]+\/)?[^./"][^/"]*)/gm;

/** Matches an import that does not exist at run time. */
const TYPE_IMPORT = /^import type [^;]+;/gm;

/** Packages whose programs have another name. */
const PACKAGES_OF_PROGRAMS: Readonly<Record<string, string>> = { tenon: "@tenon/cli", tsc: "typescript" };

describe("the templates", () => {
  test("minimal: the server, its entry point, and its test have fewer than 60 lines together", () => {
    const files = ["src/server.ts", "src/main.ts", "tests/server.test.ts"];
    const lines = files.map(
      (file) => readFileSync(`${TEMPLATES}/minimal/${file}`, "utf8").split("\n").length,
    );
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(60);
    const sources = ["src", "tests"].flatMap((part) => readdirSync(`${TEMPLATES}/minimal/${part}`));
    expect(sources).toHaveLength(files.length);
  });

  test("minimal: the documentation shows its server", () => {
    const server = readFileSync(`${TEMPLATES}/minimal/src/server.ts`, "utf8");
    expect(readFileSync(`${ROOT}/docs/template.md`, "utf8")).toContain(
      `\`\`\`ts\n${server.replace("my-mcp-server", "my-server")}\`\`\`\n`,
    );
  });

  test.each(["minimal", "grouped"])("%s: has the scripts dev, test, start, and build", (template) => {
    expect(manifestOf(template).scripts).toMatchObject({
      dev: "tenon dev src/server.ts",
      test: "node --import tsx --test tests/*.test.ts",
      build: "tsc -p tsconfig.build.json",
      start: "node dist/main.js",
    });
  });

  test("agent: has the scripts dev, test, start, and build", () => {
    expect(manifestOf("agent").scripts).toMatchObject({
      dev: "tsx watch --clear-screen=false src/main.ts",
      test: "node --import tsx --test tests/*.test.ts",
      build: "tsc -p tsconfig.build.json",
      start: "node dist/main.js",
    });
  });

  test("agent: the example of its settings lists the variables that the source reads", () => {
    const example = readFileSync(`${TEMPLATES}/agent/.env.example`, "utf8");
    const listed = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name = ""]) => name);
    const sources = ["main.ts", "model.ts"].map((file) =>
      readFileSync(`${TEMPLATES}/agent/src/${file}`, "utf8"),
    );
    const read = [...sources.join("\n").matchAll(/env\["([A-Z_]+)"\]/g)].map(([, name = ""]) => name);
    expect([...new Set(read)].toSorted()).toEqual(listed.toSorted());
  });

  test("worker: the scripts use Wrangler", () => {
    const { scripts, devDependencies } = manifestOf("worker");
    expect(scripts).toMatchObject({ dev: "wrangler dev", deploy: "wrangler deploy" });
    expect(devDependencies).toHaveProperty("wrangler");
  });

  test.each(readdirSync(TEMPLATES))("%s: depends on the command line only for development", (template) => {
    const names = Object.keys(manifestOf(template).dependencies);
    if (template === "app") expect(names).not.toContain("@tenon/cli");
    else if (template === "agent") expect(names).toEqual(["@tenon/agent", "tenon", "zod"]);
    else expect(names).toEqual(["tenon", "zod"]);
  });

  test.each(readdirSync(TEMPLATES))("%s: declares every package that it imports or runs", (template) => {
    const { scripts, dependencies, devDependencies } = manifestOf(template);
    const folder = `${TEMPLATES}/${template}`;
    const imported = (part: string) =>
      readdirSync(`${folder}/${part}`, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(`${folder}/${part}/${file}`, "utf8").replaceAll(TYPE_IMPORT, ""))
        .flatMap((text) => [...text.matchAll(IMPORT)])
        .map(([, name = ""]) => name)
        .filter((name) => !name.startsWith("node:"));
    const run = Object.values(scripts)
      .map((script) => script.split(" ")[0] ?? "")
      .filter((program) => program !== "node")
      .map((program) => PACKAGES_OF_PROGRAMS[program] ?? program);
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(imported("src")));
    const all = Object.keys({ ...dependencies, ...devDependencies });
    expect(all).toEqual(expect.arrayContaining([...imported("tests"), ...run]));
  });
});
