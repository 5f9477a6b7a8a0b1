/**
 * @fileoverview The `tenon bundle` command: bundles a module into one file, and into a `.mcpb` file for desktop
 * applications.
 * @module cli/commands/bundle
 */
import type { ArgsDef } from "citty";
import { type Command, EXIT, type Terminal, usageError } from "@tenon/internal/command-line/command";
import { formatColumns, widthOf } from "@tenon/internal/command-line/text";
import { oneLine } from "@tenon/internal/text";
import { type Bundle, createBundle } from "../bundle/create-bundle.js";
import { parseOutput, toRelative, type WrittenFile, writeOutputs } from "../bundle/outputs.js";
import { isJsonOutput, MODULE_DESCRIPTION, outputArgs } from "../client/target.js";
import { findModule } from "../bundle/project/module-target.js";
import { createSteps } from "../steps.js";

const ARGS: ArgsDef = {
  file: { type: "positional", description: MODULE_DESCRIPTION },
  out: {
    type: "string",
    valueHint: "path",
    description: "Folder for the files, or the name of one file (.mjs or .mcpb) (default: dist)",
  },
  format: {
    type: "enum",
    options: ["esm", "mcpb", "both"],
    description: "One ES module, a .mcpb file, or both (default: both)",
  },
  name: {
    type: "string",
    valueHint: "name",
    description: "Name of the bundle and its files (default: the package's name)",
  },
  external: {
    type: "string",
    valueHint: "package",
    description: "Package that is not bundled, such as one with a native addon. Can be repeated",
  },
  timeout: {
    type: "string",
    valueHint: "seconds",
    description: "Time limit for one request to the started bundle (default: 60)",
  },
  ...outputArgs("Print the files and the manifest as JSON"),
};

/** The `bundle` command. Writes files only if the bundle starts and offers the same as the module. */
export const bundleCommand: Command = {
  name: "bundle",
  usage: "tenon bundle",
  description: "Bundle a module into one file that serves over stdio, and into a .mcpb file",
  args: ARGS,
  repeatable: ["external"],
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
  async run(invocation, terminal) {
    const { text, all } = invocation;
    const argument = text("file") ?? "";
    const module = await findModule(argument, terminal.cwd);
    const plan = await parseOutput({ out: text("out"), format: text("format") }, terminal.cwd);
    const external = all("external").map(parsePackage);
    const request = {
      argument,
      module,
      wantsArchive: plan.formats.includes("mcpb"),
      name: text("name"),
      external,
      timeout: text("timeout"),
    };
    const isJson = isJsonOutput(invocation);
    const steps = createSteps(terminal, { now: () => performance.now(), isQuiet: isJson });
    const bundle = await createBundle(request, steps, terminal);
    const contents = { esm: bundle.program, mcpb: bundle.archive };
    const files = toRelative(await writeOutputs(plan, bundle.name, contents), terminal.cwd);
    terminal.stdout.write(
      isJson ? `${JSON.stringify(toJson(bundle, files), null, 2)}\n` : describe(files, terminal),
    );
    return EXIT.ok;
  },
};

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
      tools: offer.tools.length,
      resources: offer.resources.length,
      resourceTemplates: offer.resourceTemplates.length,
      prompts: offer.prompts.length,
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
