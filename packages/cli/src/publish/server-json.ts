/**
 * @fileoverview Creates `server.json` from `package.json`, the server's configuration, and the flags, and lists the steps to publish it. Members of an
 * existing file that are not generated are kept.
 * @module cli/publish/server-json
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { DeclaredVariable } from "../bundle/project/declared-config.js";
import { readRepository, readText, readUrl } from "../bundle/project/package-fields.js";
import { type ProjectPackage, unscopedName } from "../bundle/project/project-package.js";
import { SERVER_SCHEMA_URL } from "./registry-schema.js";

/** Sources of a `server.json`. */
export interface ServerSources {
  readonly project: ProjectPackage;
  /** Members of the existing file. */
  readonly existing: JsonObject;
  /** Name in the registry. */
  readonly name: string;
  /** Title and variables of the server, if its module was given. */
  readonly server: DescribedServer | undefined;
  /** True if the package is on npm. */
  readonly isOnNpm: boolean;
  /** The `.mcpb` file of a release. */
  readonly archive: PublishedArchive | undefined;
  /** URLs of the server on the web. */
  readonly remotes: readonly string[];
}

/** Facts from a server's module. */
export interface DescribedServer {
  readonly title: string | undefined;
  readonly variables: readonly DeclaredVariable[];
}

/** A `.mcpb` file that users can download. */
export interface PublishedArchive {
  readonly url: string;
  /** SHA-256 hash, if the file was found. */
  readonly sha256: string | undefined;
}

/** Creates the members of `server.json`, in the order in which the registry's documentation shows them. */
export function createServerJson(sources: ServerSources): JsonObject {
  const { project, existing, name, server } = sources;
  const { members } = project;
  const website = readUrl(members["homepage"]);
  const generated: JsonObject = {
    $schema: SERVER_SCHEMA_URL,
    name,
    title: server?.title ?? existing["title"],
    description: readText(members["description"]) ?? existing["description"],
    repository: toRepository(members["repository"]) ?? existing["repository"],
    version: readText(members["version"]) ?? existing["version"],
    websiteUrl: existing["websiteUrl"] ?? (website?.startsWith("https:") === true ? website : undefined),
    icons: existing["icons"],
    packages: mergePackages(sources),
    remotes: mergeRemotes(sources),
  };
  // Members that are `undefined` are removed, and the others keep their order.
  return JSON.parse(JSON.stringify({ ...generated, ...withoutKeys(existing, generated) })) as JsonObject;
}

/** Derives the name in the registry from a repository on GitHub: `io.github.acme/weather`. */
export function deriveServerName(project: ProjectPackage): string | undefined {
  const url = readRepository(project.members["repository"])?.url;
  const name = unscopedName(project);
  const [, owner] = /^https?:\/\/(?:www\.)?github\.com\/([\w.-]+)\//.exec(url ?? "") ?? [];
  return owner === undefined || name === undefined ? undefined : `io.github.${owner}/${name}`;
}

function withoutKeys(members: JsonObject, known: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !Object.hasOwn(known, name)));
}

/** Converts the repository. The registry accepts only GitHub and GitLab, and the member is optional. */
function toRepository(value: unknown): JsonObject | undefined {
  const repository = readRepository(value);
  const [, source] = /^https:\/\/(?:www\.)?(github|gitlab)\.com\//.exec(repository?.url ?? "") ?? [];
  return repository === undefined || source === undefined
    ? undefined
    : { url: repository.url, source, subfolder: repository.directory };
}

function mergePackages({ project, existing, server, isOnNpm, archive }: ServerSources): unknown {
  const known: unknown = existing["packages"];
  const variables = server === undefined ? {} : { environmentVariables: toInputs(server.variables) };
  const npm = {
    registryType: "npm",
    identifier: project.members["name"],
    version: project.members["version"],
    runtimeHint: "npx",
    transport: { type: "stdio" },
    ...variables,
  };
  const mcpb = {
    registryType: "mcpb",
    identifier: archive?.url,
    fileSha256: archive?.sha256,
    transport: { type: "stdio" },
    ...variables,
  };
  const created: readonly JsonObject[] = [
    ...(isOnNpm ? [npm] : []),
    ...(archive === undefined ? [] : [mcpb]),
  ];
  // A value that is not an array stays as it is, so that the check reports it.
  if (known !== undefined && !Array.isArray(known)) return known;
  const before: readonly unknown[] = known ?? [];
  const typeOf = (entry: unknown) => (isJsonObject(entry) ? entry["registryType"] : undefined);
  const merged = created.map((entry) => {
    const old = before.find((one) => typeOf(one) === entry["registryType"]);
    return isJsonObject(old) ? { ...old, ...entry } : entry;
  });
  const replaced = new Set<unknown>([...created.map(typeOf), ...(isOnNpm ? [] : ["npm"])]);
  const packages = [...merged, ...before.filter((one) => !replaced.has(typeOf(one)))];
  return packages.length === 0 ? undefined : packages;
}

function toInputs(variables: readonly DeclaredVariable[]): readonly JsonObject[] | undefined {
  const inputs = variables.map((one) => ({
    name: one.name,
    description: one.description,
    isRequired: one.isRequired ? true : undefined,
    isSecret: one.isSecret ? true : undefined,
    format: FORMATS[one.type],
    default: one.default === undefined ? undefined : String(one.default),
    choices: one.choices,
  }));
  return inputs.length === 0 ? undefined : inputs;
}

/** Formats of inputs by type. Text is the default. */
const FORMATS: Readonly<Record<DeclaredVariable["type"], string | undefined>> = {
  string: undefined,
  number: "number",
  boolean: "boolean",
  directory: "filepath",
  file: "filepath",
};

function mergeRemotes({ existing, remotes }: ServerSources): unknown {
  const known: unknown = existing["remotes"];
  if (remotes.length === 0) return known;
  const before: readonly unknown[] = Array.isArray(known) ? known : [];
  return remotes.map((url) => {
    const old = before.find((one) => isJsonObject(one) && one["url"] === url);
    return old ?? { type: "streamable-http", url };
  });
}

/** Facts that the commands depend on. */
interface PublishFacts {
  /** Name in the registry. */
  readonly name: string;
  /** Name of the npm package, or `undefined` if it is not published. */
  readonly npmName: string | undefined;
  /** Path and download address of the `.mcpb` file. */
  readonly archive: { readonly path: string; readonly url: string } | undefined;
  /** Path of `server.json`, relative to the current folder. */
  readonly file: string;
}

/** Returns the next steps, in their order. */
export function listNextSteps({ name, npmName, archive, file }: PublishFacts): readonly string[] {
  return [
    // npm makes the first version of a package with a scope private by default.
    ...(npmName === undefined ? [] : [`npm publish${npmName.startsWith("@") ? " --access public" : ""}`]),
    ...(archive === undefined
      ? []
      : [`Upload ${archive.path} to the release, so that it has the address ${archive.url}`]),
    loginCommand(name),
    `mcp-publisher publish ${file}`,
  ];
}

function loginCommand(name: string): string {
  const [namespace = ""] = name.split("/", 1);
  if (namespace.startsWith("io.github.")) return "mcp-publisher login github";
  const domain = namespace.split(".").toReversed().join(".");
  return `mcp-publisher login dns --domain ${domain} --private-key <key>`;
}
