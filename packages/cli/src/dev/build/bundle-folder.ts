/**
 * @fileoverview Folder for bundles. It is in the project's `node_modules`, because Node.js finds packages relative to the
 * file that imports them.
 * @module cli/dev/build/bundle-folder
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cliError } from "@tenon/internal/command-line/command";
import { codeOf, messageOf } from "@tenon/internal/thrown";
import { findAbove } from "./entry.js";

/** Folder that belongs to one run of the command. */
export class BundleFolder {
  /** Absolute path. */
  readonly path: string;
  #count = 0;

  /** @throws {CliError} if the folder cannot be created */
  constructor(entry: string, pid: number) {
    const modules = findAbove(dirname(entry), "node_modules");
    try {
      this.path = modules === undefined ? mkdtempSync(join(tmpdir(), PREFIX)) : createIn(modules, pid);
    } catch (error) {
      throw cliError(
        `Could not create a folder for the compiled code: ${messageOf(error) ?? "unknown error"}`,
      );
    }
  }

  /** Writes a module. Returns its path. */
  write(code: string | Uint8Array): string {
    const path = join(this.path, `${++this.#count}.mjs`);
    writeFileSync(path, code);
    return path;
  }

  /** Deletes a module that was written before. */
  delete(path: string): void {
    rmSync(path, { force: true });
  }

  /** Deletes the folder. */
  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

const PREFIX = "tenon-dev-";

/** Creates a folder for this process, and deletes those of processes that were killed. */
function createIn(modules: string, pid: number): string {
  const parent = join(modules, ".tenon");
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const owner = Number(/^tenon-dev-(\d+)-/.exec(name)?.[1]);
    if (Number.isInteger(owner) && !isAlive(owner))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, `${PREFIX}${pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to a different user.
    return codeOf(error) === "EPERM";
  }
}
