/**
 * @fileoverview Creates `manifest.json` for a `.mcpb` file from `package.json`, the server's lists, and its declared
 * configuration.
 * @module cli/bundle/manifest
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { MANIFEST_VERSION } from "./manifest-schema.js";
import { type DeclaredVariable, userConfigKey } from "./project/declared-config.js";
import { readAuthor, readRepository, readText, readUrl } from "./project/package-fields.js";
import type { ProjectPackage } from "./project/project-package.js";
import type { ServerOffer } from "./server-offer.js";

/** Path of the program in the archive. */
export const ENTRY_POINT = "server/index.mjs";

/** Sources of a manifest. */
export interface ManifestSources {
  readonly project: ProjectPackage;
  /** Name of the bundle. */
  readonly name: string;
  readonly offer: ServerOffer;
  readonly variables: readonly DeclaredVariable[];
  /** True if the archive contains `icon.png`. */
  readonly hasIcon: boolean;
}

/** Manifest, or the members that `package.json` lacks. */
export type ManifestOutcome =
  | { readonly ok: true; readonly manifest: JsonObject }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Creates the manifest. */
export function createManifest({
  project,
  name,
  offer,
  variables,
  hasIcon,
}: ManifestSources): ManifestOutcome {
  const { members } = project;
  const version = readText(members["version"]);
  const description = readText(members["description"]);
  const author = readAuthor(members["author"]);
  if (version === undefined || description === undefined || author === undefined)
    return { ok: false, problems: describeMissing({ version, description, author }) };
  const { title } = offer.info;
  const repository = readRepository(members["repository"]);
  const keywords = listOfTexts(members["keywords"]);
  const manifest = {
    manifest_version: MANIFEST_VERSION,
    name,
    display_name: readText(title),
    version,
    description,
    author,
    repository: repository === undefined ? undefined : { type: repository.type, url: repository.url },
    homepage: readUrl(members["homepage"]),
    support: readUrl(isJsonObject(members["bugs"]) ? members["bugs"]["url"] : members["bugs"]),
    icon: hasIcon ? "icon.png" : undefined,
    server: {
      type: "node",
      entry_point: ENTRY_POINT,
      mcp_config: {
        command: "node",
        args: [`\${__dirname}/${ENTRY_POINT}`],
        env: variables.length === 0 ? undefined : toEnv(variables),
      },
    },
    tools: offer.tools.length === 0 ? undefined : offer.tools.map(toTool),
    prompts: offer.prompts.length === 0 ? undefined : offer.prompts.map(toPrompt),
    keywords: keywords.length === 0 ? undefined : keywords,
    license: readText(members["license"]),
    compatibility: { runtimes: { node: nodeRangeOf(members["engines"]) } },
    user_config: variables.length === 0 ? undefined : toUserConfig(variables),
  };
  // Removes the members that are `undefined`.
  return { ok: true, manifest: JSON.parse(JSON.stringify(manifest)) as JsonObject };
}

/** Range of Node.js versions that bundles support by default. */
const NODE_RANGE = ">=20.19";

function describeMissing(given: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(EXAMPLES)
    .filter(([name]) => given[name] === undefined)
    .map(([name, example]) => `"${name}" is missing or empty. Add it, such as "${name}": "${example}".`);
}

const EXAMPLES = {
  version: "1.0.0",
  description: "Weather forecasts for any city",
  author: "Ada Lovelace <ada@example.com>",
};

function toTool({ name, description }: JsonObject): JsonObject {
  return { name, description: readText(description) };
}

/**
 * Describes a prompt. The format requires a text with placeholders for the arguments, but a server creates the text
 * when a client asks for it. The text here is a summary: the description, and one line for each argument.
 */
function toPrompt({ name, title, description, arguments: given }: JsonObject): JsonObject {
  const names = (Array.isArray(given) ? given : []).flatMap((one: unknown) =>
    isJsonObject(one) && typeof one["name"] === "string" ? [one["name"]] : [],
  );
  const summary = readText(description) ?? readText(title) ?? String(name);
  const lines = names.map((argument) => `${argument}: \${arguments.${argument}}`);
  return {
    name,
    description: readText(description),
    arguments: names.length === 0 ? undefined : names,
    text: lines.length === 0 ? summary : `${summary}\n\n${lines.join("\n")}`,
  };
}

function toEnv(variables: readonly DeclaredVariable[]): JsonObject {
  return Object.fromEntries(variables.map((one) => [one.name, `\${user_config.${userConfigKey(one)}}`]));
}

function toUserConfig(variables: readonly DeclaredVariable[]): JsonObject {
  return Object.fromEntries(
    variables.map((one) => {
      // The format has no choices, so the description lists them.
      const choices = one.choices === undefined ? "" : ` One of: ${one.choices.join(", ")}.`;
      const option = {
        type: one.type,
        title: one.title,
        description: `${one.description.replace(/(?<![.!?])$/, choices === "" ? "" : ".")}${choices}`,
        required: one.isRequired,
        default: one.default,
        sensitive: one.isSecret ? true : undefined,
        min: one.min,
        max: one.max,
      };
      return [userConfigKey(one), option];
    }),
  );
}

function nodeRangeOf(engines: unknown): string {
  return (isJsonObject(engines) ? readText(engines["node"]) : undefined) ?? NODE_RANGE;
}

function listOfTexts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).filter(
    (one: unknown): one is string => readText(one) !== undefined,
  );
}
