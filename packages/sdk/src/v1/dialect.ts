/**
 * @fileoverview The behavior of version 1 of the official SDK.
 * @module sdk/v1/dialect
 */
import { McpError, type McpPromptArgumentDefinition, TRAITS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { mergeCapabilities } from "../server/capabilities.js";
import { type Dialect, type OwnHandler, PLAIN_METHODS } from "../server/dialect.js";
import { compile, fieldsOf, isOptional, parseRequest, toSchema } from "../server/registrations/schemas.js";
import { describeFor, failTool, numbered } from "../server/requests/errors.js";
import { failureResponse } from "../server/requests/own-methods.js";
import type { RequestScope } from "../server/requests/request-scope.js";
import { toSdkResponse, withCapabilities, withPlainUri } from "../server/requests/responses.js";
import type { McpExtra } from "../types.js";

/** Parts of a server that the dialect uses. */
interface DialectHost {
  /** False for the server of an `McpServer`, which adds to the core's capabilities. */
  readonly isLowLevel: boolean;
  readonly capabilities: JsonObject;
  readonly fallbackRequestHandler: OwnHandler["handler"] | undefined;
  extraOf(scope: RequestScope): McpExtra;
  /** Returns true if the server handles a method without a handler of the application. */
  isBuiltIn(method: string): boolean;
}

/** Creates the dialect of a version 1 server. */
export function createDialect(server: DialectHost): Dialect {
  const { isLowLevel } = server;
  return {
    tracksSubscriptions: true,
    listsMetadataTitle: false,
    anyOutput: false,
    describeIssues: describeFor,
    describeError: numbered,
    toSchema,
    compile,
    listArguments,
    argumentOf: (scope) => server.extraOf(scope),
    run: (scope, callback) => callback(server.extraOf(scope)),
    async runOwn({ schema, handler }, scope) {
      const { method, params } = scope.message;
      const request = parseRequest(schema, { method, ...(params === undefined ? {} : { params }) });
      const result = await handler(request, server.extraOf(scope));
      return isLowLevel && isJsonObject(result) ? withCacheHint(scope, result) : result;
    },
    failTool,
    missing(method) {
      if (server.isBuiltIn(method)) return undefined;
      return { schema: undefined, handler: server.fallbackRequestHandler ?? rejectMethod };
    },
    toErrorReply: failureResponse,
    prepare: withPlainUri,
    isPlain: (method) => PLAIN_METHODS.has(method),
    convert: toSdkResponse,
    complete: (scope, response) =>
      withCapabilities(scope, response, (core) =>
        isLowLevel ? server.capabilities : mergeCapabilities(server.capabilities, withoutUnserved(core)),
      ),
  };
}

function rejectMethod(): never {
  throw new McpError("METHOD_NOT_FOUND", "Method not found");
}

/** Removes the capabilities that the official SDK leaves to the application. */
function withoutUnserved({ logging: _, resources, ...core }: JsonObject): JsonObject {
  if (!isJsonObject(resources)) return core;
  const { subscribe: __, ...rest } = resources;
  return { ...core, resources: rest };
}

function listArguments(schema: unknown): readonly McpPromptArgumentDefinition[] {
  return Object.entries(fieldsOf(schema)).map(([name, field]) => {
    const description = isJsonObject(field) ? field["description"] : undefined;
    return {
      name,
      ...(typeof description === "string" ? { description } : {}),
      required: !isOptional(field),
    };
  });
}

/** Adds the cache hint that the stateless revision requires. A handler may return another result for each client. */
function withCacheHint({ message, caller }: RequestScope, result: JsonObject): JsonObject {
  if (!CACHEABLE.has(message.method) || !TRAITS[caller.revision].cacheHints) return result;
  return { ttlMs: 0, cacheScope: "private", ...result };
}

const CACHEABLE: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);
