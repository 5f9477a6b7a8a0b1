import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../tools/source-files.js";
import { EXPORTED_VALUES } from "../support/packages/exported-values.js";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}

/** Specifier and built file of every package's entry points. */
const entries = readdirSync(`${ROOT}/packages`).flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(`${ROOT}/packages/${folder}/package.json`, "utf8")) as Manifest;
  return Object.entries(manifest.exports).flatMap(([key, target]) =>
    typeof target === "object"
      ? [{ specifier: key.replace(".", manifest.name), file: `${ROOT}/packages/${folder}/${target.default}` }]
      : [],
  );
});

describe("entry points", () => {
  test("the packages have exactly the listed entry points", () => {
    expect(entries.map(({ specifier }) => specifier).toSorted()).toEqual(
      Object.keys(EXPORTED_VALUES).toSorted(),
    );
  });

  test.each(entries)("R5, R6: $specifier exports exactly the listed values", async ({ specifier, file }) => {
    const module = (await import(file)) as Record<string, unknown>;
    expect(Object.keys(module).toSorted()).toEqual([...(EXPORTED_VALUES[specifier] ?? [])].toSorted());
  });

  test("the paths in tsconfig.json and in the test configuration match the export maps", () => {
    const { compilerOptions } = JSON.parse(readFileSync(`${ROOT}/tsconfig.json`, "utf8")) as {
      readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> };
    };
    const expected = entries.map(({ specifier, file }) => [
      specifier,
      [file.replace(ROOT, ".").replace("/./dist/", "/src/").replace(/\.js$/, ".ts")],
    ]);
    const { "@tenon/internal/*": internal, "@tenon/ui/*": ui, ...paths } = compilerOptions.paths;
    expect(internal).toEqual(["./packages/internal/src/*.ts"]);
    expect(ui).toEqual(["./packages/ui/src/*"]);
    expect(paths).toEqual(Object.fromEntries(expected));
  });

  test("R5: the module that checks arguments is not public", () => {
    expect(Object.values(EXPORTED_VALUES).flat()).not.toContain("validateArguments");
    expect(Object.keys(EXPORTED_VALUES)).not.toContain("tenon/validate");
  });
});

test.each([
  ["agent", ["@preact/signals", "marked", "preact"]],
  ["cli", ["@preact/signals", "citty", "jose", "marked", "preact"]],
  ["create-tenon", ["@clack/core", "@clack/prompts", "citty", "sisteransi"]],
])("%s includes the licenses of its bundled packages", (folder, names) => {
  const notices = readFileSync(`${ROOT}/packages/${folder}/dist/third-party-licenses.txt`, "utf8");
  for (const name of names) expect(notices).toMatch(new RegExp(`^${name}$`, "m"));
  expect(notices.match(/Permission is hereby granted/g)?.length).toBeGreaterThanOrEqual(names.length);
});
