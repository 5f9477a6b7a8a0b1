import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../../../tools/source-files.js";
import { rewriteImports } from "../../../../tools/official-examples/rewrite-imports.js";
import { runScenario } from "../../../../tools/official-examples/run-scenario.js";
import { SCENARIOS } from "../../../../tools/official-examples/scenarios/index.js";
import { type Diagnostics, typeCheck } from "../../../../tools/official-examples/type-check.js";
import { OFFICIAL_V1, TENON_V1 } from "../../../../tools/official-examples/v1-rules.js";

/** The compiled server examples in the installed official package. */
const EXAMPLES = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/sdk/package.json")),
  "../../dist/esm/examples/server",
);
const SIDES = { official: OFFICIAL_V1, tenon: TENON_V1 } as const;
type SideName = keyof typeof SIDES;

const names = readdirSync(EXAMPLES)
  .filter((file) => file.endsWith(".js"))
  .map((file) => file.slice(0, -".js".length));
const folder = copyExamples();
const fileOf = (side: SideName, name: string) => `${folder}/${side}/${name}.js`;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Copies the examples into the project, so that their imports resolve: once unmodified, once with our imports. */
function copyExamples(): string {
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  const target = mkdtempSync(`${ROOT}/.tmp/official-examples-`);
  writeFileSync(`${target}/package.json`, JSON.stringify({ type: "module" }));
  for (const [side, rules] of Object.entries(SIDES)) {
    mkdirSync(`${target}/${side}`);
    for (const name of names) {
      const code = readFileSync(`${EXAMPLES}/${name}.js`, "utf8");
      writeFileSync(`${target}/${side}/${name}.js`, rewriteImports(name, code, rules).code);
    }
  }
  return target;
}

describe("the server examples of the official SDK", () => {
  test("every example has a scenario", () => {
    expect(names.toSorted()).toEqual(Object.keys(SCENARIOS).toSorted());
  });

  test("every server is imported from Tenon", () => {
    const imported = names.filter((name) =>
      readFileSync(fileOf("tenon", name), "utf8").includes('"@tenon/sdk"'),
    );
    expect(imported).toEqual(names.filter((name) => name !== "demoInMemoryOAuthProvider"));
    for (const name of names) {
      const [official, tenon] = (["official", "tenon"] as const).map((side) =>
        readFileSync(fileOf(side, name), "utf8").split("\n"),
      );
      const changed = official?.filter((line, index) => line !== tenon?.[index]) ?? [];
      expect(changed.every((line) => line.startsWith("import "))).toBe(true);
    }
  });

  describe("compile with another import", () => {
    let diagnostics: Diagnostics;
    beforeAll(async () => {
      // Compiled examples do not have types for their parameters.
      const javaScript = { allowJs: true, checkJs: true, noImplicitAny: false };
      const compilerOptions = { ...javaScript, module: "nodenext", target: "es2023", types: ["node"] };
      diagnostics = await typeCheck({ folder, include: ["*/*.js"], compilerOptions });
    });

    test.each(names)("%s", (name) => {
      const known = diagnostics.get(`official/${name}.js`) ?? [];
      const found = diagnostics.get(`tenon/${name}.js`) ?? [];
      expect(found.filter((one) => !known.includes(one))).toEqual([]);
    });
  });

  const runs = Object.entries(SCENARIOS).flatMap(([name, scenarios]) =>
    Object.entries(scenarios).map(([title, scenario]) => ({ name, title, scenario })),
  );

  describe.concurrent("show a client the same with another import", () => {
    test.each(runs)(
      "$title",
      async ({ name, scenario }) => {
        const [official, tenon] = await Promise.all([
          runScenario({ file: fileOf("official", name) }, scenario),
          runScenario({ file: fileOf("tenon", name) }, scenario),
        ]);
        expect(tenon).toEqual(official);
      },
      180_000,
    );
  });
});
