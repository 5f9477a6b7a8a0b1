/**
 * @fileoverview Checks a `package.json` by the rules of npm and of the registry of servers, and adds the registry's name to it.
 * @module cli/publish/check-package-json
 */
import { canonicalJson, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { readUrl } from "../bundle/project/package-fields.js";

/** Checks the package that clients install from npm. Returns one sentence for each problem. */
export function checkPackageJson(members: JsonObject): readonly string[] {
  const { name, version, private: isPrivate, publishConfig } = members;
  const registry = isJsonObject(publishConfig) ? readUrl(publishConfig["registry"]) : undefined;
  const isPublic = registry === undefined || /^https:\/\/registry\.npmjs\.org\/?$/.test(registry);
  return [
    ...checkPackageName(name),
    ...(typeof version === "string" && SEMVER.test(version)
      ? []
      : [`"version" must be a version such as 1.0.0; got ${showValue(version)}.`]),
    ...(isPrivate === true ? [`"private" is true, so npm rejects the package. ${OTHER_WAYS}`] : []),
    ...(hasProgram(members["bin"])
      ? []
      : [`"bin" is missing, so clients cannot start the package with npx. ${OTHER_WAYS}`]),
    ...(isPublic
      ? []
      : [`"publishConfig.registry" must be the public npm registry; got ${showValue(registry)}.`]),
  ];
}

/** Checks that `mcpName` proves the ownership of a package: it must be the name in `server.json`. */
export function checkMcpName(mcpName: unknown, serverName: string): readonly string[] {
  const line = `"mcpName": ${JSON.stringify(serverName)}`;
  if (mcpName === undefined)
    return [`"mcpName" is missing. Add ${line}, or run tenon publish without --dry-run, which adds it.`];
  if (typeof mcpName !== "string") return [`"mcpName" must be a string; got ${kindOf(mcpName)}.`];
  return mcpName === serverName
    ? []
    : [`"mcpName" must be ${JSON.stringify(serverName)}; got ${showValue(mcpName)}.`];
}

const OTHER_WAYS = "Change it, or leave the package out with --no-npm.";
const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const MAX_NAME = 214;

function checkPackageName(name: unknown): readonly string[] {
  if (typeof name !== "string" || name === "") return [`"name" is missing.`];
  const isValid =
    /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/.test(name) && name.length <= MAX_NAME;
  return isValid
    ? []
    : [`"name" must be a valid npm name, such as weather or @acme/weather; got ${showValue(name)}.`];
}

function hasProgram(bin: unknown): boolean {
  if (typeof bin === "string") return bin !== "";
  return isJsonObject(bin) && Object.values(bin).some((path) => typeof path === "string" && path !== "");
}

/** Adds `mcpName` after `name`. If the text has an unusual form, it is written anew. */
export function addMcpName(text: string, members: JsonObject, mcpName: string): string {
  const wanted = { ...members, mcpName };
  const line = `"mcpName": ${JSON.stringify(mcpName)},`;
  const edited = text.replace(
    /^([ \t]+)"name"\s*:\s*"[^"\n]*",(\r?\n)/m,
    (found, indent: string, end: string) => {
      return `${found}${indent}${line}${end}`;
    },
  );
  if (isJson(edited, wanted)) return edited;
  const [, indent = "  "] = /^([ \t]+)"/m.exec(text) ?? [];
  return `${JSON.stringify(wanted, null, indent)}\n`;
}

/** Returns true if a text is JSON with the expected value. `name` of the author may be the first one in the text. */
function isJson(text: string, expected: JsonObject): boolean {
  const value = readJson(text);
  return value !== undefined && canonicalJson(value) === canonicalJson(expected);
}
