/**
 * @fileoverview The `tenon bundle` command: bundles a module into one file, and into a `.mcpb` file for desktop
 * applications.
 * @module cli/commands/bundle
 */
import { EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { choice, repeated, value } from "@tenon/internal/command-line/flags";
import { formatColumns, widthOf } from "@tenon/internal/command-line/text";
import { oneLine } from "@tenon/internal/text";
import { type Bundle, createBundle } from "../bundle/create-bundle.js";
import {
  assertNoSource,
  parseOutput,
  toRelative,
  type WrittenFile,
  writeOutputs,
} from "../bundle/outputs.js";
import { findModule } from "../load/split-target.js";
import { mapLists } from "../client/list-feature.js";
import {
  defineCommand,
  isJsonOutput,
  MODULE_ARGS,
  outputArgs,
  printResult,
  timeoutArgs,
} from "../define-command.js";
import { createSteps } from "../steps.js";

/** The `bundle` command. Writes files only if the bundle starts and offers the same as the module. */
export const bundleCommand = defineCommand({
  name: "bundle",
  description: "Bundle a module into one file that serves over stdio, and into a .mcpb file",
  args: {
    ...MODULE_ARGS,
    out: value("path", "Folder for the files, or the name of one file (.mjs or .mcpb) (default: dist)"),
    format: choice(["esm", "mcpb", "both"], "One ES module, a .mcpb file, or both (default: both)"),
    name: value("name", "Name of the bundle and its files (default: the package's name)"),
    external: repeated("package", "Package that is not bundled, such as one with a native addon"),
    ...timeoutArgs("Time limit for one request to the started bundle"),
    ...outputArgs("Print the files and the manifest as JSON"),
  },
  hints: {
    output: "Use --out for the folder.",
    outdir: "Use --out for the folder.",
    outfile: "Use --out for the file.",
    minify: "Bundles are not minified, so that stack traces stay readable.",
  },
  examples: [
    "tenon bundle src/server.ts",
    "tenon bundle src/server.ts --format esm --out dist/server.mjs",
    "tenon bundle src/server.ts:app --name weather --json",
  ],
  async run(flags, terminal) {
    const { file: argument, name, timeout } = flags;
    const module = await findModule(argument, terminal.cwd);
    const plan = await parseOutput(flags, terminal.cwd);
    if (plan.isFile) await assertNoSource(plan.path, [module.path]);
    const external = flags.external.map(parsePackage);
    const wantsArchive = plan.formats.includes("mcpb");
    const steps = createSteps(terminal, { now: () => performance.now(), isQuiet: isJsonOutput(flags) });
    const request = { argument, module, wantsArchive, name, external, timeout };
    const bundle = await createBundle(request, steps, terminal);
    const contents = { ...bundle, esm: bundle.program, mcpb: bundle.archive };
    const files = toRelative(await writeOutputs(plan, contents), terminal.cwd);
    printResult(flags, terminal, { json: toJson(bundle, files), text: () => describe(files, terminal) });
    return EXIT.ok;
  },
});

function parsePackage(name: string): string {
  if (/^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/.test(name) && name.length <= 214) return name;
  throw usageError(`--external must be the name of a package; got "${oneLine(name, 60)}".`);
}

function toJson({ name, manifest, behavior }: Bundle, files: readonly WrittenFile[]) {
  const { offer, call } = behavior;
  return {
    name,
    files,
    checked: {
      ...mapLists((list) => offer[list].length),
      ...(call === undefined ? {} : { call }),
    },
    ...(manifest === undefined ? {} : { manifest }),
  };
}

function describe(files: readonly WrittenFile[], { stdout }: Terminal): string {
  const rows = files.map(({ path, bytes, sha256 }) => [path, formatSize(bytes), `sha256 ${sha256}`]);
  return `${formatColumns(rows, { width: widthOf(stdout), indent: 0 }).join("\n")}\n`;
}

function formatSize(bytes: number): string {
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
