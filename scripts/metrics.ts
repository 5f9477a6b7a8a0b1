/**
 * @fileoverview `npm run metrics`: measures the public API and the source. Prints exports per entry point, names with
 * multiple declarations, files per folder, and functions with more than three parameters or 60 lines.
 * @module scripts/metrics
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findHomonyms, readEntryPoints, readPublicApi } from "../tests/support/public-api.js";
import { readSourceFiles, ROOT } from "../tests/support/source-files.js";

const RULES = {
  "eslint/max-params": ["error", { max: 3 }],
  "eslint/max-lines-per-function": ["error", { max: 60 }],
};

const api = readPublicApi();
console.log("Exports per entry point");
for (const entry of readEntryPoints().keys()) {
  const names = api.filter((one) => one.entry === entry);
  const values = names.filter(({ kind }) => kind === "value").length;
  console.log(
    `  ${entry.padEnd(20)} ${String(values).padStart(3)} values ${String(names.length - values).padStart(3)} types`,
  );
}
const values = api.filter(({ kind }) => kind === "value").length;
console.log(
  `  ${"total".padEnd(20)} ${String(values).padStart(3)} values ${String(api.length - values).padStart(3)} types`,
);

const homonyms = findHomonyms(api);
console.log(`\nNames with more than one declaration: ${homonyms.size}`);
for (const [name, files] of homonyms) console.log(`  ${name}: ${files.join(", ")}`);

const folders = new Map<string, number>();
for (const { path } of readSourceFiles()) {
  const folder = path.slice(0, path.lastIndexOf("/"));
  folders.set(folder, (folders.get(folder) ?? 0) + 1);
}
const largest = [...folders].toSorted(([, one], [, other]) => other - one).slice(0, 5);
console.log(`\nFiles per folder: ${folders.size} folders, largest first`);
for (const [folder, count] of largest) console.log(`  ${String(count).padStart(3)} ${folder}`);

const problems = lint();
for (const [rule, title] of [
  ["max-params", "Functions with more than three parameters"],
  ["max-lines-per-function", "Functions over 60 lines"],
] as const) {
  const found = problems
    .filter(({ code = "" }) => code.includes(rule))
    .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line ?? "?"}`);
  const excepted = exceptions(rule);
  console.log(`\n${title}: ${found.length + excepted.length}`);
  for (const place of [...found, ...excepted]) console.log(`  ${place}`);
}

interface Diagnostic {
  readonly code?: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: Span }[];
}

interface Span {
  readonly offset: number;
  readonly length: number;
  readonly line: number;
}

/** Runs the linter with only the rules in `RULES`. */
function lint(): readonly Diagnostic[] {
  const folder = mkdtempSync(join(tmpdir(), "tenon-metrics-"));
  try {
    const config = join(folder, "oxlint.json");
    writeFileSync(config, JSON.stringify({ plugins: [], categories: { correctness: "off" }, rules: RULES }));
    const args = ["-c", config, "--format", "json", "packages"];
    const { stdout } = spawnSync(`${ROOT}/node_modules/.bin/oxlint`, args, {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 2 ** 26,
    });
    const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
    return diagnostics.filter(
      ({ filename, labels }) =>
        /^packages\/[^/]+\/src\//.test(filename) && !isOverload(filename, labels[0]?.span),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lists the functions that a comment exempts from a rule, with the stated reasons. */
function exceptions(rule: string): readonly string[] {
  const directive = new RegExp(`oxlint-disable-next-line ${rule} -- (.+)`);
  return readSourceFiles().flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const reason = directive.exec(line)?.[1];
      return reason === undefined ? [] : [`${path}:${index + 2} (${reason})`];
    }),
  );
}

/** Detects an overload signature, which ends with a semicolon instead of a body. */
function isOverload(filename: string, span: Span | undefined): boolean {
  if (span === undefined) return false;
  const rest = readFileSync(`${ROOT}/${filename}`)
    .subarray(span.offset + span.length)
    .toString("utf8");
  return /^\s*:[^;{]*;/.test(rest);
}
