/**
 * @fileoverview Reads the application template and creates runnable copies of it.
 * @module tests/support/template/canonical-template
 */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../tools/source-files.js";
import { TEMPLATES_FOLDER } from "../templates.js";

/** Folder of the application template. */
export const TEMPLATE = `${TEMPLATES_FOLDER}/app`;

/** Placeholder in the template that the project's name replaces. */
const PLACEHOLDER = "my-mcp-server";

/** Template file with its path and text. */
export interface TemplateFile {
  readonly path: string;
  readonly text: string;
}

/** Reads the template's TypeScript files below a folder. */
export function templateSources(folder: "src" | "tests"): readonly TemplateFile[] {
  return readdirSync(`${TEMPLATE}/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`)
    .map((path) => ({ path, text: readTemplate(path) }))
    .toSorted((one, other) => one.path.localeCompare(other.path));
}

/** Reads a template file. */
export function readTemplate(path: string): string {
  return readFileSync(`${TEMPLATE}/${path}`, "utf8");
}

/** Copies the template into a folder as a project with the given name. */
export function copyTemplate(folder: string, name: string): void {
  cpSync(TEMPLATE, folder, { recursive: true });
  // npm does not pack `.gitignore` files.
  renameSync(join(folder, "gitignore"), join(folder, ".gitignore"));
  for (const file of ["package.json", "README.md"]) {
    const text = readFileSync(join(folder, file), "utf8");
    writeFileSync(join(folder, file), text.replaceAll(PLACEHOLDER, name));
  }
}

/** Copies the template into this repository, so that its imports resolve to the packages and their dependencies. */
export function linkTemplate(): string {
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  const folder = mkdtempSync(`${ROOT}/.tmp/template-`);
  copyTemplate(folder, "linked-server");
  return folder;
}
