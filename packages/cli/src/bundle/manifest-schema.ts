/**
 * @fileoverview JSON Schema of `manifest.json` in `.mcpb` files, version 0.3, and the check of a manifest. A test compares it to the official schema
 * in the npm package `@anthropic-ai/mcpb`.
 * @module cli/bundle/manifest-schema
 */
import type { JsonObject } from "@tenon/internal/json";
import { parsePointer } from "@tenon/internal/schema/json-pointer";
import { Errors } from "typebox/schema";
import { oneLine } from "@tenon/internal/text";

/** Version of the manifest format. */
export const MANIFEST_VERSION = "0.3";

const TEXT: JsonObject = { type: "string" };
const FLAG: JsonObject = { type: "boolean" };
const NUMBER: JsonObject = { type: "number" };
const URL_TEXT: JsonObject = { type: "string", format: "uri" };

/** Creates a schema for an object that must not have other members. */
function strict(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Creates a schema for an object whose members all have the same form. */
function mapOf(values: JsonObject): JsonObject {
  return { type: "object", additionalProperties: values };
}

function listOf(items: JsonObject): JsonObject {
  return { type: "array", items };
}

function oneOf(...values: readonly string[]): JsonObject {
  return { type: "string", enum: values };
}

const PROGRAM = { command: TEXT, args: listOf(TEXT), env: mapOf(TEXT) };

const SERVER = strict(
  {
    type: oneOf("python", "node", "binary"),
    entry_point: TEXT,
    mcp_config: strict({ ...PROGRAM, platform_overrides: mapOf(strict(PROGRAM)) }, ["command"]),
  },
  ["type", "entry_point", "mcp_config"],
);

const USER_OPTION = strict(
  {
    type: oneOf("string", "number", "boolean", "directory", "file"),
    title: TEXT,
    description: TEXT,
    required: FLAG,
    default: { anyOf: [TEXT, NUMBER, FLAG, listOf(TEXT)] },
    multiple: FLAG,
    sensitive: FLAG,
    min: NUMBER,
    max: NUMBER,
  },
  ["type", "title", "description"],
);

const COMPATIBILITY = strict({
  claude_desktop: TEXT,
  platforms: listOf(oneOf("darwin", "win32", "linux")),
  runtimes: strict({ python: TEXT, node: TEXT }),
});

const LOCALIZATION = strict(
  {
    resources: { type: "string", pattern: String.raw`\$\{locale\}` },
    default_locale: { type: "string", pattern: "^[A-Za-z0-9]{2,8}(?:-[A-Za-z0-9]{1,8})*$" },
  },
  ["resources", "default_locale"],
);

const ICON = strict(
  {
    src: TEXT,
    size: { type: "string", pattern: String.raw`^\d+x\d+$` },
    theme: { type: "string", minLength: 1 },
  },
  ["src", "size"],
);

const VERSION: JsonObject = { type: "string", const: MANIFEST_VERSION };

/** Schema of the manifest. The format marks neither `manifest_version` nor its old name as required, but needs one. */
export const MANIFEST_SCHEMA: JsonObject = strict(
  {
    $schema: TEXT,
    dxt_version: VERSION,
    manifest_version: VERSION,
    name: TEXT,
    display_name: TEXT,
    version: TEXT,
    description: TEXT,
    long_description: TEXT,
    author: strict({ name: TEXT, email: { type: "string", format: "email" }, url: URL_TEXT }, ["name"]),
    repository: strict({ type: TEXT, url: URL_TEXT }, ["type", "url"]),
    homepage: URL_TEXT,
    documentation: URL_TEXT,
    support: URL_TEXT,
    icon: TEXT,
    icons: listOf(ICON),
    screenshots: listOf(TEXT),
    localization: LOCALIZATION,
    server: SERVER,
    tools: listOf(strict({ name: TEXT, description: TEXT }, ["name"])),
    tools_generated: FLAG,
    prompts: listOf(
      strict({ name: TEXT, description: TEXT, arguments: listOf(TEXT), text: TEXT }, ["name", "text"]),
    ),
    prompts_generated: FLAG,
    keywords: listOf(TEXT),
    license: TEXT,
    privacy_policies: listOf(URL_TEXT),
    compatibility: COMPATIBILITY,
    user_config: mapOf(USER_OPTION),
    _meta: mapOf(mapOf({})),
  },
  ["name", "version", "description", "author", "server"],
);

/** Checks a manifest. Returns one line for each problem, such as `author.email must match format "email"`. */
export function checkManifest(manifest: JsonObject): readonly string[] {
  const [isValid, errors] = Errors(MANIFEST_SCHEMA, manifest);
  const problems = errors.map(({ instancePath, message }) => {
    const path = parsePointer(instancePath).join(".");
    return oneLine(`${path === "" ? "The manifest" : path} ${message}`, 300);
  });
  if (manifest["manifest_version"] !== MANIFEST_VERSION)
    return [`manifest_version must be "${MANIFEST_VERSION}".`, ...new Set(problems)];
  return isValid ? [] : [...new Set(problems)];
}
