/**
 * @fileoverview Reads all option tables of the packages, with the comments of their rows. The tables are created by
 * running the modules that define them, in which each table and each commented row is recorded.
 * @module tools/option-reference/read-tables
 */
import { readFileSync, rmSync } from "node:fs";
import { build, type Plugin } from "esbuild";
import { parseSync } from "oxc-parser";
import type { Option, OptionTable } from "../../packages/internal/src/options/define-options.js";
import { readSourceFiles, ROOT, SOURCE_ROOTS } from "../source-files.js";

/** Option table of a package. */
export interface FoundTable {
  readonly table: OptionTable;
  /** Folder of the package. */
  readonly package: string;
}

/** All tables, and the comments of their rows. */
export interface FoundTables {
  readonly tables: readonly FoundTable[];
  /** Returns the comment of a row, without its asterisks. */
  readonly commentOf: (row: Option) => string | undefined;
}

interface Recorder {
  readonly table: (file: string, table: OptionTable) => OptionTable;
  readonly row: (comment: string, row: unknown) => unknown;
}

/** Reads the tables of all packages. */
export async function readTables(): Promise<FoundTables> {
  const files = readSourceFiles()
    .filter(
      ({ package: own, text }) =>
        own !== "internal" && /\/options\/(?:option-rows|define-options)"/.test(text),
    )
    .map(({ path }) => `${ROOT}/${path.replace(/^[^/]+/, (own) => SOURCE_ROOTS[own] ?? own)}`);
  const tables: FoundTable[] = [];
  const comments = new Map<unknown, string>();
  const recorder: Recorder = {
    table: (file, table) => {
      const [, folder = ""] = /packages\/([^/]+)/.exec(file) ?? [];
      tables.push({ table, package: folder });
      return table;
    },
    row: (comment, row) => {
      if (typeof row !== "object" || row === null) return row;
      // A row that several tables share can have a comment in each of them.
      const own = comments.has(row) ? { ...row } : row;
      comments.set(own, comment);
      return own;
    },
  };
  Object.assign(globalThis, { recordOptions: recorder });
  try {
    await bundle(files);
    await import(`${BUNDLE}?${Date.now()}`);
  } finally {
    rmSync(BUNDLE, { force: true });
    Reflect.deleteProperty(globalThis, "recordOptions");
  }
  return { tables, commentOf: (row) => comments.get(row) };
}

/** Bundle of the modules. Its place lets it import the packages that the project has installed. */
const BUNDLE = `${ROOT}/.tmp/options-${process.pid}.mjs`;

/** Bundles modules into one that records their tables when it runs. */
async function bundle(files: readonly string[]): Promise<void> {
  await build({
    stdin: { contents: files.map((file) => `import "${file}";`).join("\n"), resolveDir: ROOT },
    bundle: true,
    outfile: BUNDLE,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "es2023",
    tsconfig: `${ROOT}/tsconfig.json`,
    // Tables that nothing uses inside the bundle are needed, too.
    ignoreAnnotations: true,
    logLevel: "error",
    plugins: [recording(new Set(files))],
  });
}

function recording(files: ReadonlySet<string>): Plugin {
  return {
    name: "record-options",
    setup: (bundler) =>
      bundler.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        files.has(path)
          ? { contents: withRecords(path, readFileSync(path, "utf8")), loader: "ts" as const }
          : undefined,
      ),
  };
}

/** Wraps the tables and the commented rows of a module in calls of the recorder. */
function withRecords(path: string, text: string): string {
  const edits: { readonly at: number; readonly insert: string }[] = [];
  const { program, comments } = parseSync(path, text);
  const wrap = (start: number, end: number, call: string): void => {
    edits.push({ at: start, insert: `globalThis.recordOptions.${call}, ` }, { at: end, insert: ")" });
  };
  visit(program, (node) => {
    if (node.type === "CallExpression" && node.callee?.name === "defineOptions")
      wrap(node.start, node.end, `table(${JSON.stringify(path)}`);
    if (node.type !== "Property" || node.key?.type !== "Identifier" || node.value === undefined) return;
    if (node.shorthand === true) return; // not a row
    const comment = comments.findLast(({ end }) => end <= node.start);
    if (comment?.type !== "Block" || !/^\s*$/.test(text.slice(comment.end, node.start))) return;
    if (!/^(?:Call|Member|Object)Expression$|^Identifier$/.test(node.value.type)) return;
    const words = comment.value.replaceAll(/^\s*\*\s?/gm, "").trim();
    wrap(node.value.start, node.value.end, `row(${JSON.stringify(words)}`);
  });
  const sorted = edits.toSorted((one, other) => other.at - one.at);
  return sorted.reduce((code, { at, insert }) => code.slice(0, at) + insert + code.slice(at), text);
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly callee?: Node;
  readonly key?: Node;
  readonly value?: Node;
  readonly shorthand?: boolean;
}

function visit(value: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(value)) for (const one of value) visit(one, onNode);
  else if (typeof value === "object" && value !== null) {
    if ("type" in value && "start" in value) onNode(value as Node); // Safe: a node of the syntax tree
    for (const member of Object.values(value)) visit(member, onNode);
  }
}
