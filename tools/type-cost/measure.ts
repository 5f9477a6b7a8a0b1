/**
 * @fileoverview Type-checks generated projects against the built package, and reads the figures of the compiler.
 * @module tools/type-cost/measure
 */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installOnce } from "../install-once.js";
import { runBounded } from "../process.js";
import { type ProjectOptions, writeProject } from "./project.js";

/** Version of TypeScript: the project's own, or the last one that is written in JavaScript. */
export type Compiler = "7" | "5.9";

/** Versions that are measured. */
export const COMPILERS: readonly Compiler[] = ["7", "5.9"];

/** Figures of one compilation. */
export interface TypeCost extends ProjectOptions {
  readonly compiler: Compiler;
  readonly instantiations: number;
  readonly types: number;
  readonly checkSeconds: number;
  readonly megabytes: number;
}

/** Type-checks a generated project. @throws if it does not compile, or TypeScript cannot be installed */
export async function measureTypes(compiler: Compiler, project: ProjectOptions): Promise<TypeCost> {
  const tsc = await findCompiler(compiler);
  // The folder is inside the workspace, so that imports find the built package.
  const folder = `${ROOT}.tmp/type-cost/${process.pid}-${compiler}-${project.layout}-${project.tools}`;
  writeProject(folder, project);
  try {
    const { ok, output } = await runBounded(
      process.execPath,
      [...NODE_OPTIONS, tsc, ...ARGS[compiler], folder],
      {
        cwd: ROOT,
        timeoutMs: TIMEOUT_MS,
      },
    );
    if (!ok) throw new Error(`The project with ${project.tools} tools does not compile:\n${output}`);
    return { ...project, compiler, ...readFigures(output) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const TIMEOUT_MS = 600_000;

/** A long chain is a deep syntax tree. The default stack and heap are too small for 1,000 tools on some machines. */
const NODE_OPTIONS = ["--stack-size=3900", "--max-old-space-size=4096"];

/** With several threads, TypeScript 7 counts types again for each of them. */
const ARGS: Readonly<Record<Compiler, readonly string[]>> = {
  "7": ["--extendedDiagnostics", "--singleThreaded", "-p"],
  "5.9": ["--extendedDiagnostics", "-p"],
};

async function findCompiler(compiler: Compiler): Promise<string> {
  if (compiler === "7") return `${ROOT}node_modules/typescript/bin/tsc`;
  const failure = await installOnce(FOLDER, ["typescript"]);
  if (failure !== undefined) throw new Error(failure);
  return `${FOLDER}/node_modules/typescript/bin/tsc`;
}

function readFigures(output: string): Omit<TypeCost, keyof ProjectOptions | "compiler"> {
  const read = (name: string) => {
    const [, figure] = new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(output) ?? [];
    if (figure === undefined) throw new Error(`TypeScript did not print "${name}":\n${output}`);
    return Number(figure);
  };
  return {
    instantiations: read("Instantiations"),
    types: read("Types"),
    checkSeconds: read("Check time"),
    megabytes: read("Memory used") / 1_024,
  };
}
