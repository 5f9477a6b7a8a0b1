/**
 * @fileoverview Built-in templates, and the search for the template that the user selects.
 * @module create-tenon/templates
 */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { usageError } from "@tenon/internal/command-line/command";
import { suggestion } from "@tenon/internal/command-line/parse-arguments";
import { oneLine } from "@tenon/internal/text";

/** Names of the built-in templates, in the order in which they are listed. The first is the default. */
export const TEMPLATE_NAMES = ["minimal", "grouped", "worker", "agent", "app"] as const;

/** Name of a built-in template. */
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** Template that is used unless the user selects one. */
export const DEFAULT_TEMPLATE: TemplateName = "minimal";

/** One-line descriptions of the built-in templates. */
export const TEMPLATE_SUMMARIES: Readonly<Record<TemplateName, string>> = {
  minimal: "one file with a tool, a resource, and a prompt",
  grouped: "one tool with many actions, which costs the model fewer tokens",
  worker: "a server for Cloudflare Workers",
  agent: "an agent with tools, approvals, and a chat page",
  app: "the application standard: logging, authorization, services, and rules",
};

/** Template to create a project from. */
export interface Template {
  /** Absolute path of its folder. */
  readonly folder: string;
  /** Name of a built-in template, or `undefined` for the user's own. */
  readonly name: TemplateName | undefined;
  /** True if the project reads its transport and authorization mode from `.env`. */
  readonly hasSettings: boolean;
  /** Scripts to run after the packages are installed. */
  readonly scripts: readonly string[];
}

/** Folders in which templates are searched. */
export interface TemplateFolders {
  /** Folder of this package, which contains the built-in templates. */
  readonly root: string;
  /** Folder that relative paths refer to. */
  readonly cwd: string;
}

/**
 * Finds a template by the name of a built-in one, or by the path of a folder. A built-in template takes precedence over
 * a folder with the same name, unless the path contains a slash. @throws {CliError} if neither exists
 */
export async function findTemplate(word: string, { root, cwd }: TemplateFolders): Promise<Template> {
  const name = TEMPLATE_NAMES.find((one) => one === word);
  if (name !== undefined) {
    return {
      folder: join(root, "templates", name),
      name,
      hasSettings: name === "app",
      scripts: name === "app" ? BUILD_AND_START : ["dev"],
    };
  }
  const folder = resolve(cwd, word);
  if (!/[/\\]/.test(word) && !(await exists(folder))) {
    throw usageError(
      `--template must be ${TEMPLATE_NAMES.join(", ")}, or a folder; got ${JSON.stringify(oneLine(word, 40))}` +
        suggestion(word, TEMPLATE_NAMES),
    );
  }
  return {
    folder,
    name: undefined,
    hasSettings: await exists(join(folder, ".env.example")),
    scripts: BUILD_AND_START,
  };
}

const BUILD_AND_START = ["build", "start"];

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
