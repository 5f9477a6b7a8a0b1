/**
 * @fileoverview Compiles the programs in this folder.
 * @module tests/cli/support/page/servers/programs
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { buildSync } from "esbuild";
import { ROOT } from "../../../../../../tools/source-files.js";

const NAMES = ["sdk-v1-stdio", "sdk-v2-stdio", "tmcp-stdio"] as const;

/** Name of a program. */
export type ProgramName = (typeof NAMES)[number];

/** Compiled programs. */
export interface Programs {
  /** Returns the path of a program. */
  readonly fileOf: (name: ProgramName) => string;
  readonly remove: () => void;
}

/** Compiles the programs inside the project, so that their imports resolve. */
export function compilePrograms(): Programs {
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  const folder = mkdtempSync(`${ROOT}/.tmp/inspect-`);
  buildSync({
    entryPoints: NAMES.map((name) => `${import.meta.dirname}/${name}.ts`),
    outdir: folder,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    packages: "external",
    tsconfigRaw: "{}",
  });
  return {
    fileOf: (name) => `${folder}/${name}.mjs`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
