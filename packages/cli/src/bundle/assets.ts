/**
 * @fileoverview Reads the optional files that a `.mcpb` file contains: an icon and a README.
 * @module cli/bundle/assets
 */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { cliError } from "@tenon/internal/command-line/command";
import type { ProjectPackage } from "./project/project-package.js";

/** Optional files of a bundle. */
export interface BundleAssets {
  /** Content of `icon.png`. */
  readonly icon: Uint8Array | undefined;
  /** Content of `README.md`. */
  readonly readme: Uint8Array | undefined;
}

/** Reads `icon.png` and `README.md` beside `package.json`. @throws {CliError} if a file is too large or not a PNG image */
export async function readAssets({ folder }: ProjectPackage): Promise<BundleAssets> {
  const icon = await readOptional(join(folder, "icon.png"), "icon.png");
  if (icon !== undefined && !PNG.every((byte, index) => icon[index] === byte))
    throw cliError('"icon.png" must be a PNG image, because hosts show no other format.');
  return { icon, readme: await readOptional(join(folder, "README.md"), "README.md") };
}

const MAX_BYTES = 4_194_304;

/** First bytes of every PNG image. */
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

async function readOptional(path: string, name: string): Promise<Uint8Array | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  if (found.size > MAX_BYTES) throw cliError(`"${name}" is too large (limit: ${MAX_BYTES} bytes).`);
  return new Uint8Array(await readFile(path));
}
