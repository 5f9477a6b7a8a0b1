/**
 * @fileoverview Creates a bundle in memory: loads the module, compiles it, packs it, and starts it once.
 * @module cli/bundle/create-bundle
 */
import { basename, dirname, extname } from "node:path";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { JsonObject } from "@tenon/internal/json";
import { cliError, interrupted, type Terminal } from "@tenon/internal/command-line/command";
import { countOf } from "@tenon/internal/command-line/text";
import { LIST_NAMES, LISTS } from "../client/list-feature.js";
import { runStep, type Steps } from "../steps.js";
import { packArchive, readAssets } from "./archive.js";
import { checkBundle, observeModule, type ServerBehavior, withTemporaryFolder } from "./check-bundle.js";
import { checkManifest } from "./manifest-schema.js";
import {
  analyzeModule,
  compileProgram,
  type CompileTarget,
  type ModuleAnalysis,
} from "./compile/compile-module.js";
import { createEntry } from "./compile/entry-source.js";
import { collectLicenses } from "./compile/bundled-packages.js";
import { createManifest, ENTRY_POINT } from "./manifest.js";
import { checkConfig, type DeclaredVariable } from "./project/declared-config.js";
import type { ModuleTarget } from "../load/split-target.js";
import { type ModuleExports, readModule, realPathOf } from "./project/module-target.js";
import {
  findProjectPackage,
  type ProjectPackage,
  readProjectPackage,
  unscopedName,
} from "./project/project-package.js";
import type { ServerOffer } from "./server-offer.js";

/** Bundle to create. */
export interface BundleRequest {
  /** Argument that selects the module, such as `src/server.ts:app`. */
  readonly argument: string;
  readonly module: ModuleTarget;
  /** True to create a `.mcpb` file. */
  readonly wantsArchive: boolean;
  /** Name of the bundle. @default the package's name without its scope, or the name of the module's file */
  readonly name: string | undefined;
  /** Packages that are not bundled. */
  readonly external: readonly string[];
  /** Time limit for one request, in seconds. */
  readonly timeout: number;
}

/** Bundle that has been started once. */
export interface Bundle {
  readonly name: string;
  /** The program: one ES module. */
  readonly program: Uint8Array;
  /** The `.mcpb` file. */
  readonly archive: Uint8Array | undefined;
  readonly manifest: JsonObject | undefined;
  readonly behavior: ServerBehavior;
  /** Absolute paths of all files that the program was compiled from. */
  readonly sources: readonly string[];
}

/** Creates a bundle. Shows each step with its time. @throws {CliError} if a step fails */
export async function createBundle(
  request: BundleRequest,
  steps: Steps,
  terminal: Terminal,
): Promise<Bundle> {
  const step = <T>(label: string, run: () => Promise<T>, detailOf?: (result: T) => string) => {
    if (terminal.signal.aborted) throw interrupted();
    return runStep(steps, { label, detailOf }, run);
  };
  const { module, external, timeout } = request;
  const { project, name } = await readProject(request, terminal);
  const load = () => observeModule(request.argument, timeout, terminal);
  const behavior = await step(`Load ${module.file}`, load, ({ offer }) => countOffer(offer));
  const exports = await readModule(module);
  const variables = readVariables(exports, module.file, terminal);
  const manifest =
    request.wantsArchive && project !== undefined
      ? await createCheckedManifest({ project, name, variables, behavior })
      : undefined;
  noteVersions(project, behavior, terminal);

  const path = await realPathOf(module.path);
  const target = { path, root: await realPathOf(project?.folder ?? dirname(path)), external };
  const { program, analysis } = await step(
    "Compile the module and its dependencies",
    () => compile(target, exports, variables),
    (compiled) => `${compiled.analysis.files.length} files`,
  );
  for (const warning of analysis.warnings) terminal.stderr.write(`Warning: ${warning}\n`);
  const archive =
    manifest === undefined || project === undefined
      ? undefined
      : await step("Pack the .mcpb file", () => pack({ project, manifest, program, analysis }));
  await step("Start the bundle in an empty folder, and compare it to the module", () =>
    withTemporaryFolder((folder) =>
      checkBundle({ folder, program, archive, external, modulePath: path, timeout }, behavior, terminal),
    ),
  );
  return { name, program, archive, manifest, behavior, sources: analysis.files };
}

function countOffer(offer: ServerOffer): string {
  const lists = LIST_NAMES.filter((name) => offer[name].length > 0);
  const shown = lists.map((name) => countOf(offer[name].length, LISTS[name].noun));
  return shown.length === 0 ? "no tools" : shown.join(", ");
}

interface Project {
  /** Present if the bundle becomes a `.mcpb` file. */
  readonly project: ProjectPackage | undefined;
  readonly name: string;
}

async function readProject(
  { module, name, wantsArchive }: BundleRequest,
  { cwd }: Terminal,
): Promise<Project> {
  const folder = dirname(module.path);
  const project = await (wantsArchive ? readProjectPackage(folder, cwd) : findProjectPackage(folder, cwd));
  const own = project === undefined ? undefined : unscopedName(project);
  const chosen = name ?? own ?? basename(module.path, extname(module.path));
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(chosen)) return { project, name: chosen };
  throw cliError(
    `The name of the bundle must consist of 1 to 100 letters, digits, and the characters . _ -; got "${chosen}". ` +
      "Set it with --name.",
  );
}

function readVariables(
  { config }: ModuleExports,
  file: string,
  { stderr }: Terminal,
): readonly DeclaredVariable[] {
  const outcome = checkConfig(config);
  if (!outcome.ok)
    throw cliError(listProblems(`The export \`config\` of "${file}" is not valid.`, outcome.problems));
  if (outcome.note !== undefined) stderr.write(`${outcome.note}\n`);
  return outcome.variables;
}

interface ManifestFacts {
  readonly project: ProjectPackage;
  readonly name: string;
  readonly variables: readonly DeclaredVariable[];
  readonly behavior: ServerBehavior;
}

async function createCheckedManifest({
  project,
  name,
  variables,
  behavior,
}: ManifestFacts): Promise<JsonObject> {
  const { icon } = await readAssets(project);
  const sources = { project, name, variables, offer: behavior.offer, hasIcon: icon !== undefined };
  const outcome = createManifest(sources);
  if (!outcome.ok) {
    const line = `A .mcpb file requires more members in "${project.file}". To create only a module, use --format esm.`;
    throw cliError(listProblems(line, outcome.problems));
  }
  const problems = checkManifest(outcome.manifest);
  if (problems.length === 0) return outcome.manifest;
  throw cliError(
    listProblems(`The manifest is not valid. Correct the members in "${project.file}".`, problems),
  );
}

function listProblems(line: string, problems: readonly string[]): string {
  return [line, ...problems.map((problem) => `- ${problem}`)].join("\n");
}

/** Warns if clients would show another version than the one that is distributed. */
function noteVersions(
  project: ProjectPackage | undefined,
  { offer }: ServerBehavior,
  { stderr }: Terminal,
): void {
  const [own, shown] = [project?.members["version"], offer.info["version"]];
  if (project === undefined || typeof own !== "string" || typeof shown !== "string" || own === shown) return;
  stderr.write(`The server reports version ${shown}, but "${project.file}" has version ${own}.\n`);
}

async function compile(
  target: CompileTarget,
  exports: ModuleExports,
  variables: readonly DeclaredVariable[],
): Promise<{ readonly program: Uint8Array; readonly analysis: ModuleAnalysis }> {
  const analysis = await analyzeModule(target);
  const packages = new Set(analysis.packages.map(({ name }) => name));
  const { hasCommonJs } = analysis;
  const entry = createEntry({ path: target.path, exports, variables, packages, hasCommonJs });
  return { program: encodeUtf8(await compileProgram(target, entry)), analysis };
}

interface PackFacts {
  readonly project: ProjectPackage;
  readonly manifest: JsonObject;
  readonly program: Uint8Array;
  readonly analysis: ModuleAnalysis;
}

async function pack({ project, manifest, program, analysis }: PackFacts): Promise<Uint8Array> {
  const { icon, readme } = await readAssets(project);
  const licenses = await collectLicenses(analysis.packages);
  return packArchive({
    "manifest.json": encodeUtf8(`${JSON.stringify(manifest, null, 2)}\n`),
    [ENTRY_POINT]: program,
    ...(icon === undefined ? {} : { "icon.png": icon }),
    ...(readme === undefined ? {} : { "README.md": readme }),
    ...(licenses === "" ? {} : { "third-party-licenses.txt": encodeUtf8(licenses) }),
  });
}
