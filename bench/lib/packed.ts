/**
 * @fileoverview Sizes of a package as npm publishes it.
 * @module bench/lib/packed
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Sizes of a package in bytes: as an archive and on the disk. */
export interface PackedSize {
  readonly packed: number;
  readonly unpacked: number;
}

/** Measures the archive that npm would create from a folder. Nothing is written, and no script runs. */
export async function packedSize(folder: string): Promise<PackedSize> {
  const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: folder,
    maxBuffer: 32 * 1024 * 1024,
  });
  // Safe: npm's own format.
  const [report] = JSON.parse(stdout) as { readonly size: number; readonly unpackedSize: number }[];
  if (report === undefined) throw new Error(`npm did not describe the package in ${folder}.`);
  return { packed: report.size, unpacked: report.unpackedSize };
}
