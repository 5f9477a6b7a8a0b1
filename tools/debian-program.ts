/**
 * @fileoverview Finds server programs, and as root installs Debian's package if they are missing.
 * @module tools/debian-program
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLock } from "@tenon/internal/files/with-lock";
import { runBounded } from "./process.js";

/** Time limit for an installation in milliseconds. Hooks that may trigger it require a longer timeout. */
export const INSTALL_MS = 240_000;

/** Program and the Debian package that contains it. */
export interface ServerProgram {
  readonly package: string;
  /** Paths where the program may be installed. */
  readonly places: readonly string[];
}

/** Path to a program, or the reason it is missing. */
export type FoundProgram = { readonly path: string } | { readonly path?: undefined; readonly reason: string };

/** Finds a program. As root, installs it if it is missing. */
export async function findProgram({ package: name, places }: ServerProgram): Promise<FoundProgram> {
  const findInstalled = () => places.find((place) => existsSync(place));
  const found = findInstalled();
  if (found !== undefined) return { path: found };
  if (process.getuid?.() !== 0) return { reason: `${name} is not installed, and only root can install it.` };
  const run = async () => {
    // A different process may have installed it in the meantime.
    const meanwhile = findInstalled();
    if (meanwhile !== undefined) return { path: meanwhile };
    const install = ["install", "-y", "--no-install-recommends", name];
    const { ok, output } = await runBounded("apt-get", install, { cwd: tmpdir(), timeoutMs: INSTALL_MS });
    const installed = findInstalled();
    if (installed !== undefined) return { path: installed };
    const printed = output.split("\n").slice(0, 3).join("\n");
    return {
      reason: ok ? `apt-get did not install ${name}.` : `apt-get could not install ${name}: ${printed}`,
    };
  };
  return withLock(join(tmpdir(), `tenon-${name}.lock`), run, { waitMs: INSTALL_MS });
}
