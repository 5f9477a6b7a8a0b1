/**
 * @fileoverview Runs the server examples of a checkout of the official repository, version 2, on Tenon.
 * @module tools/official-examples/v2-checkout
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SELECTIONS } from "../conformance/run-suite.js";
import { compareConformance } from "./compare-conformance.js";
import { createProject, exportedNames, type Project } from "./project.js";
import { type ExampleResult, newDiagnostics, type RunRequest, selectNames } from "./report.js";
import { type ImportRules, rewriteImports } from "./rewrite-imports.js";
import { GUIDES, runStory, TYPESCRIPT } from "./run-story.js";
import { readCompilerOptions, typeCheck } from "./type-check.js";
import { v2Dependencies } from "./v2-dependencies.js";

const EXAMPLES = "examples";
const EVERYTHING = "test/conformance/src/everythingServer.ts";
const COMPILER_OPTIONS = "common/tsconfig/tsconfig.json";

/** Folders without servers. */
const NOT_STORIES: ReadonlySet<string> = new Set(["shared", "client-quickstart", "node_modules"]);

/** Modules of the official SDK whose names Tenon provides. */
const REPLACED: ReadonlySet<string> = new Set([
  "@modelcontextprotocol/server",
  "@modelcontextprotocol/server/stdio",
]);
const TENON = "@tenon/sdk/v2";

/** Returns true if the folder is a checkout of version 2. */
export function isV2Checkout(checkout: string): boolean {
  return [`${EXAMPLES}/shared/src`, EVERYTHING, COMPILER_OPTIONS].every((path) =>
    existsSync(join(checkout, path)),
  );
}

/** Compiles and runs every story. @throws if a package cannot be installed */
export async function runV2Checkout({ checkout, only, onResult }: RunRequest): Promise<void> {
  const sources = sourcesIn(checkout);
  const names = selectNames(Object.keys(sources), only).filter((name) => name === only || name !== GUIDES);
  const project = await createProject(v2Dependencies(checkout, Object.values(sources).flat()));
  try {
    const moved = copyStories(project, checkout, sources);
    const diagnostics = await typeCheck({
      folder: project.folder,
      include: ["official/**/*.ts", "tenon/**/*.ts"],
      compilerOptions: { ...readCompilerOptions(join(checkout, COMPILER_OPTIONS)), types: ["node"] },
    });
    for (const name of names) {
      const files = (sources[name] ?? []).map((file) => pathInStory(checkout, name, file));
      onResult({
        name,
        moved: moved.get(name) ?? [],
        compileErrors: files.flatMap((file) =>
          newDiagnostics(diagnostics, `tenon/${name}/${file}`, `official/${name}/${file}`),
        ),
        ...(await run(project, checkout, name)),
      });
    }
  } finally {
    project.remove();
  }
}

/** TypeScript files of each story, as absolute paths. */
type Sources = Readonly<Record<string, readonly string[]>>;

const EVERYTHING_NAME = "everythingServer";

function sourcesIn(checkout: string): Sources {
  const stories = readdirSync(join(checkout, EXAMPLES), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NOT_STORIES.has(entry.name))
    .map(({ name }) => {
      const folder = join(checkout, EXAMPLES, name);
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
        (file) => file.endsWith(".ts") && !/(?:^|\/)(?:test|node_modules)\//.test(file),
      );
      return [name, files.map((file) => join(folder, file))] as const;
    });
  return { ...Object.fromEntries(stories), [EVERYTHING_NAME]: [join(checkout, EVERYTHING)] };
}

function pathInStory(checkout: string, name: string, file: string): string {
  return name === EVERYTHING_NAME ? "server.ts" : file.slice(join(checkout, EXAMPLES, name).length + 1);
}

/** Copies all stories, unmodified and rewritten. Returns the names that Tenon provides to each. */
function copyStories(
  project: Project,
  checkout: string,
  sources: Sources,
): ReadonlyMap<string, readonly string[]> {
  cpSync(join(checkout, EXAMPLES, "shared"), join(project.folder, "shared"), {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  mkdirSync(join(project.folder, "node_modules/@mcp-examples"), { recursive: true });
  symlinkSync(
    join(project.folder, "shared"),
    join(project.folder, "node_modules/@mcp-examples/shared"),
    "dir",
  );
  const rules = tenonRules(project);
  const all = new Map<string, readonly string[]>();
  for (const [name, files] of Object.entries(sources)) {
    const moved = files.flatMap((file) => {
      const code = readFileSync(file, "utf8");
      const rewritten = rewriteImports(file, code, rules);
      const path = pathInStory(checkout, name, file);
      project.write(`official/${name}/${path}`, code);
      project.write(`tenon/${name}/${path}`, rewritten.code);
      return rewritten.moved;
    });
    all.set(name, [...new Set(moved)]);
  }
  return all;
}

/** Moves the names that `@tenon/sdk/v2` exports. @throws if the packed package has no such entry point */
function tenonRules({ folder }: Project): ImportRules {
  const home = join(folder, "node_modules/@tenon/sdk");
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly types: string }>>;
  }; // our own format
  const entry = exports["./v2"];
  if (entry === undefined)
    throw new Error("The built @tenon/sdk has no entry point /v2. Run `npm run build`.");
  const provided = exportedNames(join(home, entry.types));
  return {
    specifierOf: (specifier) => specifier,
    moduleOf: (specifier, name) => (REPLACED.has(specifier) && provided.has(name) ? TENON : undefined),
  };
}

async function run(
  project: Project,
  checkout: string,
  name: string,
): Promise<Pick<ExampleResult, "runErrors" | "skipped">> {
  if (name !== EVERYTHING_NAME) return runStory(project.folder, join(checkout, EXAMPLES), name);
  const exampleOf = (side: string) => ({
    file: join(project.folder, side, name, "server.ts"),
    nodeFlags: TYPESCRIPT,
    takesPorts: true,
  });
  return compareConformance({
    official: exampleOf("official"),
    tenon: exampleOf("tenon"),
    selections: SELECTIONS,
  });
}
