/**
 * @fileoverview Checks the packages in `server.json`.
 * @module cli/publish/check-packages
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { isUrl } from "@tenon/internal/security/is-url";
import { checkArguments, checkNamedInputs } from "./check-inputs.js";
import {
  checkChoice,
  checkList,
  checkPublicUrl,
  checkVersion,
  templateVariables,
  withoutVariables,
} from "./check-values.js";

/** Checks the packages of a server. */
export function checkPackages(path: string, value: unknown): readonly string[] {
  const seen = new Set<string>();
  return checkList(path, value, (at, entry) => {
    const key = `${String(entry["registryType"])} ${String(entry["identifier"])}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    return [...(isRepeated ? [`${at} is listed more than once.`] : []), ...checkPackage(at, entry)];
  });
}

/** Address of the public npm registry, the only one that the registry of servers accepts. */
const NPM = "https://registry.npmjs.org";

/** Registries that packages can come from. */
const REGISTRY_TYPES = ["npm", "pypi", "nuget", "oci", "cargo", "mcpb"];

function checkPackage(path: string, entry: JsonObject): readonly string[] {
  const { registryType, identifier, version } = entry;
  const type = checkChoice(`${path}.registryType`, registryType, REGISTRY_TYPES);
  return [
    ...type,
    ...checkIdentifier(`${path}.identifier`, identifier),
    ...(version === undefined ? [] : checkVersion(`${path}.version`, version)),
    ...(registryType === "npm" ? checkNpm(path, entry) : []),
    ...(registryType === "mcpb" ? checkMcpb(path, entry) : []),
    ...checkArguments(`${path}.runtimeArguments`, entry["runtimeArguments"]),
    ...checkArguments(`${path}.packageArguments`, entry["packageArguments"]),
    ...checkNamedInputs(`${path}.environmentVariables`, entry["environmentVariables"]),
    ...checkTransport(`${path}.transport`, entry),
  ];
}

function checkIdentifier(path: string, identifier: unknown): readonly string[] {
  if (typeof identifier !== "string" || identifier === "") return [`${path} must be a non-empty string.`];
  return /\s/.test(identifier) ? [`${path} must not contain spaces; got ${showValue(identifier)}.`] : [];
}

function checkNpm(path: string, { version, fileSha256, registryBaseUrl }: JsonObject): readonly string[] {
  const isPublic = registryBaseUrl === undefined || registryBaseUrl === NPM;
  return [
    ...(version === undefined ? [`${path}.version is required for an npm package.`] : []),
    ...(fileSha256 === undefined ? [] : [`${path}.fileSha256 is not allowed for an npm package.`]),
    ...(isPublic ? [] : [`${path}.registryBaseUrl must be ${NPM}; got ${showValue(registryBaseUrl)}.`]),
  ];
}

function checkMcpb(path: string, entry: JsonObject): readonly string[] {
  const { identifier, fileSha256, registryBaseUrl } = entry;
  const isHash = typeof fileSha256 === "string" && /^[a-f0-9]{64}$/.test(fileSha256);
  const hash =
    fileSha256 === undefined
      ? [`${path}.fileSha256 is required for a .mcpb file.`]
      : isHash
        ? []
        : [`${path}.fileSha256 must have 64 hexadecimal digits in lower case; got ${showValue(fileSha256)}.`];
  return [
    ...hash,
    ...(registryBaseUrl === undefined ? [] : [`${path}.registryBaseUrl is not allowed for a .mcpb file.`]),
    ...(typeof identifier === "string" ? checkReleaseUrl(`${path}.identifier`, identifier) : []),
  ];
}

/** Checks the download address of a `.mcpb` file: a release file on GitHub or GitLab. */
function checkReleaseUrl(path: string, identifier: string): readonly string[] {
  const problems = checkPublicUrl(path, identifier);
  if (problems.length > 0) return problems;
  const { hostname, pathname } = new URL(identifier);
  const forms = RELEASE_PATHS[hostname.replace(/^www\./, "")];
  if (forms === undefined)
    return [`${path} must be a file of a release on github.com or gitlab.com; got ${hostname}.`];
  const isRelease = forms.some((form) => form.test(pathname));
  return [
    ...(isRelease ? [] : [`${path} must be a file of a release, such as ${RELEASE_EXAMPLE}`]),
    ...(/mcp/i.test(identifier)
      ? []
      : [`${path} must contain the text "mcp", such as in the name of the file.`]),
  ];
}

const RELEASE_EXAMPLE = "https://github.com/user/repository/releases/download/v1.0.0/server.mcpb";

/** Paths of release files by host. */
const RELEASE_PATHS: Readonly<Record<string, readonly RegExp[]>> = {
  "github.com": [
    /^\/[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?\/[\w.-]+\/releases\/download\/[^/]+\/[^/]+$/,
  ],
  "gitlab.com": [
    /^\/[\w.-]+(?:\/[\w.-]+)+\/-\/releases\/[^/]+\/downloads\/[^/]+$/,
    /^\/[\w.-]+(?:\/[\w.-]+)+\/-\/package_files\/\d+\/download$/,
  ],
};

function checkTransport(path: string, entry: JsonObject): readonly string[] {
  const { transport } = entry;
  if (!isJsonObject(transport)) return [`${path} must be an object; got ${kindOf(transport)}.`];
  const { type, url, headers } = transport;
  const kind = checkChoice(`${path}.type`, type, ["stdio", "streamable-http", "sse"]);
  if (kind.length > 0) return kind;
  if (type === "stdio") return url === undefined ? [] : [`${path}.url is not allowed for stdio.`];
  if (typeof url !== "string" || url === "") return [`${path}.url is required for ${String(type)}.`];
  const plain = withoutVariables(url);
  if (!/^https?:\/\/\S+$/.test(plain) || !isUrl(plain)) return [`${path}.url must be an http or https URL.`];
  const known = variableNames(entry);
  const unknown = templateVariables(url).filter((name) => !known.has(name));
  return [
    ...unknown.map(
      (name) => `${path}.url uses {${name}}, which is neither an argument nor an environment variable.`,
    ),
    ...checkNamedInputs(`${path}.headers`, headers),
  ];
}

/** Returns the names that the URL of a package's transport can use. */
function variableNames(entry: JsonObject): ReadonlySet<unknown> {
  const inputs = ["environmentVariables", "runtimeArguments", "packageArguments"].flatMap((member) => {
    const list: unknown = entry[member];
    return Array.isArray(list) ? list.filter(isJsonObject) : [];
  });
  return new Set(inputs.flatMap(({ name, valueHint }) => [name, valueHint]));
}
