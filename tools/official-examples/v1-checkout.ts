/**
 * @fileoverview Runs the server examples of a checkout of the official repository, version 1, on Tenon.
 * @module tools/official-examples/v1-checkout
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { compareConformance } from "./compare-conformance.js";
import type { Example } from "./example-process.js";
import { createProject, type Dependencies, importedPackages, type Project } from "./project.js";
import { type ExampleResult, newDiagnostics, type RunRequest, selectNames } from "./report.js";
import { rewriteImports } from "./rewrite-imports.js";
import { runScenario } from "./run-scenario.js";
import { SCENARIOS } from "./scenarios/index.js";
import { readCompilerOptions, typeCheck } from "./type-check.js";
import { OFFICIAL_V1, TENON_V1 } from "./v1-rules.js";

const EXAMPLES = "src/examples/server";
const EVERYTHING = "test/conformance/src/everythingServer.ts";

/** Returns true if the folder is a checkout of version 1. */
export function isV1Checkout(checkout: string): boolean {
  return existsSync(join(checkout, EXAMPLES)) && existsSync(join(checkout, EVERYTHING));
}

/** Compiles and runs every server example. @throws if a package cannot be installed */
export async function runV1Checkout({ checkout, only, onResult }: RunRequest): Promise<void> {
  const files = examplesIn(checkout);
  const names = selectNames(Object.keys(files), only);
  const project = await createProject({ dependencies: dependenciesOf(checkout, Object.values(files)) });
  try {
    const moved = copyExamples(project, files);
    const diagnostics = await typeCheck({
      folder: project.folder,
      include: ["*/*.ts"],
      compilerOptions: { ...readCompilerOptions(join(checkout, "tsconfig.json")), types: ["node"] },
    });
    for (const name of names) {
      onResult({
        name,
        moved: moved.get(name) ?? [],
        compileErrors: newDiagnostics(diagnostics, `tenon/${name}.ts`, `official/${name}.ts`),
        ...(await runExample(project, name)),
      });
    }
  } finally {
    project.remove();
  }
}

/** Examples by name, as absolute paths. */
type Files = Readonly<Record<string, string>>;

function examplesIn(checkout: string): Files {
  const examples = readdirSync(join(checkout, EXAMPLES)).filter((file) => file.endsWith(".ts"));
  const named = examples.map(
    (file) => [file.slice(0, -".ts".length), join(checkout, EXAMPLES, file)] as const,
  );
  return { ...Object.fromEntries(named), everythingServer: join(checkout, EVERYTHING) };
}

/** Returns the newest compatible version of the SDK, and of every package that an example imports, with its types. */
function dependenciesOf(checkout: string, files: readonly string[]): Dependencies {
  const manifest = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
    readonly version: string;
    readonly dependencies: Dependencies;
    readonly devDependencies: Dependencies;
  }; // npm's format
  const known = { ...manifest.devDependencies, ...manifest.dependencies };
  const imported = new Set(["node", ...files.flatMap(importedPackages)]);
  const wanted = [...imported].flatMap((name) => [name, `@types/${name}`]);
  const found = wanted.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]] as const]));
  return { ...Object.fromEntries(found), "@modelcontextprotocol/sdk": `^${manifest.version}` };
}

/** Copies all examples, unmodified and rewritten. Returns the names that Tenon provides to each. */
function copyExamples(project: Project, files: Files): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const [name, file] of Object.entries(files)) {
    const code = readFileSync(file, "utf8");
    const { code: rewritten, moved } = rewriteImports(file, code, TENON_V1);
    project.write(`official/${name}.ts`, rewriteImports(file, code, OFFICIAL_V1).code);
    project.write(`tenon/${name}.ts`, rewritten);
    all.set(name, moved);
  }
  return all;
}

const TYPESCRIPT = ["--import", import.meta.resolve("tsx")];

async function runExample(
  project: Project,
  name: string,
): Promise<Pick<ExampleResult, "runErrors" | "skipped">> {
  const exampleOf = (side: string): Example => ({
    file: join(project.folder, side, `${name}.ts`),
    nodeFlags: TYPESCRIPT,
  });
  const [official, tenon] = [exampleOf("official"), exampleOf("tenon")];
  if (name === "everythingServer")
    return compareConformance({ official, tenon, selections: [["--requirements", "2025-11-25"]] });
  const scenarios = SCENARIOS[name];
  if (scenarios === undefined) return { runErrors: ["No scenario drives this example yet."] };
  if (Object.keys(scenarios).length === 0)
    return { runErrors: [], skipped: "A module that other examples import." };
  const runErrors: string[] = [];
  for (const [title, scenario] of Object.entries(scenarios)) {
    try {
      const [expected, actual] = await Promise.all([
        runScenario(official, scenario),
        runScenario(tenon, scenario),
      ]);
      if (!isDeepStrictEqual(actual, expected))
        runErrors.push(`${title}: ${firstDifference(expected, actual)}`);
    } catch (error) {
      const { message, cause } = error as Error;
      runErrors.push(`${title}: ${cause instanceof Error ? `${cause.message}\n` : ""}${message}`);
    }
  }
  return { runErrors };
}

/** Describes the first place at which two records differ. */
function firstDifference(official: unknown, tenon: unknown, path = ""): string {
  if (!isRecord(official) || !isRecord(tenon)) {
    const show = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 500);
    return `at ${path}, the official server gives ${show(official)}; got ${show(tenon)}`;
  }
  const keys = [...new Set([...Object.keys(official), ...Object.keys(tenon)])];
  const key = keys.find((one) => !isDeepStrictEqual(official[one], tenon[one])) ?? "";
  return firstDifference(official[key], tenon[key], `${path}/${key}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
