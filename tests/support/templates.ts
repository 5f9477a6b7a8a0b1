/**
 * @fileoverview Reads the manifests of the templates.
 * @module tests/support/templates
 */
import { readFileSync } from "node:fs";
import { ROOT } from "../../tools/source-files.js";

/** Folder of all templates. */
export const TEMPLATES_FOLDER = `${ROOT}/packages/create-tenon/templates`;

/** Parts of a template's manifest. */
export interface TemplateManifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Reads the manifest of a template. */
export function manifestOf(template: string): TemplateManifest {
  return JSON.parse(readFileSync(`${TEMPLATES_FOLDER}/${template}/package.json`, "utf8")) as TemplateManifest;
}
