/**
 * @fileoverview Temporary project for `tenon dev`. It is inside this repository, so that its imports find the packages.
 * @module tools/reload/project
 */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Files of a project by path. */
export type ProjectFiles = Readonly<Record<string, string>>;

/** Folder with the source files of a server. */
export class Project {
  /** Absolute path. */
  readonly folder: string;
  #drafts = 0;

  constructor(files: ProjectFiles) {
    mkdirSync(`${ROOT}/.tmp`, { recursive: true });
    this.folder = realpathSync(mkdtempSync(`${ROOT}/.tmp/dev-`));
    // The compiled code belongs to this folder. Without its own settings, the project would have those of the repository.
    mkdirSync(join(this.folder, "node_modules"));
    this.write("package.json", '{ "type": "module" }\n');
    this.write("tsconfig.json", "{}\n");
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  /** Returns the absolute path of a file. */
  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file in place. */
  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** Writes a new file and renames it, as most editors do. */
  save(name: string, text: string): void {
    const draft = `.draft-${++this.#drafts}`;
    this.write(draft, text);
    renameSync(this.path(draft), this.path(name));
  }

  /** Deletes the folder. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
