/**
 * @fileoverview JSON Schema of `server.json`, written for the tests from the registry's reference documentation. It
 * shares no code with the checks in `src/publish`. It contains only rules about single values. Rules that need code,
 * such as allowed hosts, are tested one by one.
 * @module tests/cli/support/publish/server-json-schema
 */
import type { JsonObject } from "@tenon/internal/json";
import { SERVER_SCHEMA_URL } from "../../../src/publish/registry-schema.js";

const text = { type: "string" };
const flag = { type: "boolean" };
const listOf = (items: JsonObject): JsonObject => ({ type: "array", items });

/** A value that the user enters. A template refers to variables, which are inputs too. */
const input: JsonObject = {
  type: "object",
  properties: {
    description: text,
    isRequired: flag,
    isSecret: flag,
    format: { enum: ["string", "number", "boolean", "filepath"] },
    default: text,
    placeholder: text,
    value: text,
    choices: listOf(text),
    variables: { type: "object", additionalProperties: { type: "object" } },
  },
};

const namedInput: JsonObject = { allOf: [input, { required: ["name"], properties: { name: text } }] };

const argument: JsonObject = {
  allOf: [input, { properties: { isRepeated: flag } }],
  anyOf: [
    {
      required: ["type"],
      properties: { type: { const: "positional" }, valueHint: text },
      anyOf: [{ required: ["value"] }, { required: ["valueHint"] }],
    },
    { required: ["type", "name"], properties: { type: { const: "named" }, name: text } },
  ],
};

/** Variables in a URL have the form `{name}`. */
const remoteTransport: JsonObject = {
  type: "object",
  required: ["type", "url"],
  properties: {
    type: { enum: ["streamable-http", "sse"] },
    url: { type: "string", pattern: "^(?:https?://|\\{)\\S+$" },
    headers: listOf(namedInput),
    variables: { type: "object", additionalProperties: input },
  },
};

const stdioTransport: JsonObject = {
  type: "object",
  required: ["type"],
  properties: { type: { const: "stdio" } },
};

const serverPackage: JsonObject = {
  type: "object",
  required: ["registryType", "identifier", "transport"],
  properties: {
    registryType: text,
    identifier: text,
    registryBaseUrl: { type: "string", pattern: "^https?://" },
    version: { type: "string", minLength: 1, not: { const: "latest" } },
    fileSha256: { type: "string", pattern: "^[a-f0-9]{64}$" },
    runtimeHint: text,
    transport: { anyOf: [stdioTransport, remoteTransport] },
    runtimeArguments: listOf(argument),
    packageArguments: listOf(argument),
    environmentVariables: listOf(namedInput),
  },
};

const icon: JsonObject = {
  type: "object",
  required: ["src"],
  properties: {
    src: { type: "string", pattern: "^https://", maxLength: 255 },
    mimeType: { type: "string", pattern: "^image/" },
    sizes: listOf({ type: "string", pattern: "^(?:\\d+x\\d+|any)$" }),
    theme: { enum: ["light", "dark"] },
  },
};

/** Schema of `server.json`. */
export const serverSchema: JsonObject = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  properties: {
    $schema: { const: SERVER_SCHEMA_URL },
    name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
    description: { type: "string", minLength: 1, maxLength: 100 },
    version: { type: "string", maxLength: 255, not: { const: "latest" } },
    title: { type: "string", minLength: 1, maxLength: 100 },
    websiteUrl: { type: "string", pattern: "^https?://\\S+$" },
    repository: {
      type: "object",
      required: ["url", "source"],
      properties: { url: text, source: text, id: text, subfolder: text },
    },
    icons: listOf(icon),
    packages: listOf(serverPackage),
    remotes: listOf(remoteTransport),
    _meta: { type: "object" },
  },
};
