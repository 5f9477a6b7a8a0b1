/**
 * @fileoverview Checks a `server.json` by the rules of the official registry. Reports all problems at once.
 * @module cli/publish/check-server-json
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { checkNamedInputs, checkVariables } from "./check-inputs.js";
import { checkPackages } from "./check-packages.js";
import {
  checkChoice,
  checkList,
  checkPublicUrl,
  checkServerName,
  checkText,
  checkVersion,
  templateVariables,
  withoutVariables,
} from "./check-values.js";
import { SERVER_SCHEMA_URL } from "./registry-schema.js";

/** Checks a `server.json`. Returns one sentence for each problem. */
export function checkServerJson(server: JsonObject): readonly string[] {
  const { title, websiteUrl, packages, remotes } = server;
  const isEmpty = [packages, remotes].every(
    (list) => list === undefined || (Array.isArray(list) && list.length === 0),
  );
  return [
    ...checkChoice("$schema", server["$schema"], [SERVER_SCHEMA_URL]),
    ...checkServerName("name", server["name"]),
    ...checkText("description", server["description"], { min: 1, max: 100 }),
    ...checkVersion("version", server["version"]),
    ...(title === undefined ? [] : checkText("title", title, { min: 1, max: 100 })),
    ...(websiteUrl === undefined ? [] : checkPublicUrl("websiteUrl", websiteUrl)),
    ...checkRepository(server["repository"]),
    ...checkList("icons", server["icons"], checkIcon),
    ...checkPackages("packages", packages),
    ...checkRemotes(remotes),
    ...(isEmpty ? ["packages or remotes must have at least one entry."] : []),
    ...checkMeta(server["_meta"]),
    ...(server["status"] === undefined
      ? []
      : ["status is not allowed, because the registry sets it. Remove it."]),
    ...findOldNames("", server),
  ];
}

function checkRepository(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) return [`repository must be an object; got ${kindOf(value)}.`];
  const { url, source, subfolder } = value;
  const kind = checkChoice("repository.source", source, Object.keys(REPOSITORIES));
  if (kind.length > 0 || typeof source !== "string") return kind;
  const isKnown = typeof url === "string" && REPOSITORIES[source]?.test(url) === true;
  return [
    ...(isKnown
      ? []
      : [`repository.url must be the address of a repository on ${source}.com; got ${showValue(url)}.`]),
    ...(subfolder === undefined || isCleanPath(subfolder)
      ? []
      : [`repository.subfolder must be a relative path without "." and ".."; got ${showValue(subfolder)}.`]),
  ];
}

/** Addresses of repositories by source. */
const REPOSITORIES: Readonly<Record<string, RegExp>> = {
  github: /^https?:\/\/(?:www\.)?github\.com\/[\w.-]+\/[\w.-]+\/?$/,
  gitlab: /^https?:\/\/(?:www\.)?gitlab\.com\/[\w.-]+(?:\/[\w.-]+)+\/?$/,
};

function isCleanPath(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return value
    .split("/")
    .every((segment) => /^[\w.-]+$/.test(segment) && segment !== "." && segment !== "..");
}

function checkIcon(path: string, { src, mimeType, sizes, theme }: JsonObject): readonly string[] {
  const areSizes =
    Array.isArray(sizes) && sizes.every((size) => typeof size === "string" && /^(?:\d+x\d+|any)$/.test(size));
  const isLong = typeof src === "string" && src.length > 255;
  return [
    ...checkPublicUrl(`${path}.src`, src),
    ...(isLong ? [`${path}.src must have at most 255 characters; got ${src.length}.`] : []),
    ...(mimeType === undefined ? [] : checkChoice(`${path}.mimeType`, mimeType, IMAGE_TYPES)),
    ...(sizes === undefined || areSizes ? [] : [`${path}.sizes must be texts such as "48x48" or "any".`]),
    ...(theme === undefined ? [] : checkChoice(`${path}.theme`, theme, ["light", "dark"])),
  ];
}

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/jpg", "image/svg+xml", "image/webp"];

function checkRemotes(value: unknown): readonly string[] {
  const seen = new Set<unknown>();
  return checkList("remotes", value, (path, remote) => {
    const { type, url, variables, headers } = remote;
    const isRepeated = url !== undefined && seen.has(url);
    seen.add(url);
    const known = new Set(isJsonObject(variables) ? Object.keys(variables) : []);
    const unknown = typeof url === "string" ? templateVariables(url).filter((name) => !known.has(name)) : [];
    return [
      ...checkChoice(`${path}.type`, type, ["streamable-http", "sse"]),
      ...checkPublicUrl(`${path}.url`, typeof url === "string" ? withoutVariables(url) : url),
      ...(isRepeated ? [`${path}.url is listed more than once.`] : []),
      ...unknown.map((name) => `${path}.url uses {${name}}, which ${path}.variables does not define.`),
      ...checkVariables(`${path}.variables`, variables),
      ...checkNamedInputs(`${path}.headers`, headers),
    ];
  });
}

const PUBLISHER = "io.modelcontextprotocol.registry/publisher-provided";
const OFFICIAL = "io.modelcontextprotocol.registry/official";
const MAX_META_BYTES = 4_096;

function checkMeta(value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) return [`_meta must be an object; got ${kindOf(value)}.`];
  const own = value[PUBLISHER];
  const size = own === undefined ? 0 : encodeUtf8(JSON.stringify(own)).length;
  const isObject = own === undefined || isJsonObject(own);
  return [
    ...(isObject ? [] : [`_meta["${PUBLISHER}"] must be an object; got ${kindOf(own)}.`]),
    ...(size > MAX_META_BYTES ? [`_meta["${PUBLISHER}"] has ${size} bytes (limit: ${MAX_META_BYTES}).`] : []),
    ...(value[OFFICIAL] === undefined
      ? []
      : [`_meta["${OFFICIAL}"] is not allowed, because the registry sets it.`]),
  ];
}

/** Members that the format had in snake_case, and their names today. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  registry_type: "registryType",
  registry_name: "registryType",
  registry_base_url: "registryBaseUrl",
  file_sha256: "fileSha256",
  runtime_hint: "runtimeHint",
  runtime_arguments: "runtimeArguments",
  package_arguments: "packageArguments",
  environment_variables: "environmentVariables",
  is_required: "isRequired",
  is_secret: "isSecret",
  is_repeated: "isRepeated",
  value_hint: "valueHint",
  website_url: "websiteUrl",
  transport_type: "type",
  version_detail: "version",
};

const MAX_DEPTH = 12;

/** Finds members with old names. The members of `_meta` belong to the publisher. */
function findOldNames(path: string, value: unknown, depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) => findOldNames(`${path}[${index}]`, item, depth + 1));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === "" ? name : `${path}.${name}`;
    if (at === "_meta") return [];
    const today = Object.hasOwn(OLD_NAMES, name) ? OLD_NAMES[name] : undefined;
    const old = today === undefined ? [] : [`${at} is an old name. Rename it to ${today}.`];
    return [...old, ...findOldNames(at, member, depth + 1)];
  });
}
