/**
 * @fileoverview The behavior of version 1 of the official SDK.
 * @module sdk/mcp-server/v1-dialect
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { McpError, type McpPromptArgumentDefinition } from "tenon/protocol";
import { mergeCapabilities } from "./capabilities.js";
import { type Dialect, PLAIN_METHODS } from "./dialect.js";
import { compile, fieldsOf, isOptional, parseRequest, toSchema } from "./registrations/schemas.js";
import { describeFor, failTool, numbered } from "./requests/errors.js";
import type { OwnHandler } from "./requests/hooks.js";
import { failureResponse } from "./requests/own-methods.js";
import { withPlainUri } from "./requests/plain-uri.js";
import type { RequestScope } from "./requests/request-scope.js";
import { toSdkResponse, withCapabilities } from "./requests/sdk-response.js";
import type { McpExtra } from "./requests/types.js";

/** Parts of a server that the dialect uses. */
interface V1Server {
  readonly capabilities: JsonObject;
  readonly fallbackRequestHandler: OwnHandler["handler"] | undefined;
  extraOf(scope: RequestScope): McpExtra;
  /** Returns true if the server handles a method without a handler of the application. */
  isBuiltIn(method: string): boolean;
}

/** Creates the dialect of a version 1 server. */
export function createV1Dialect(server: V1Server): Dialect {
  return {
    tracksSubscriptions: true,
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
      return handler(request, server.extraOf(scope));
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
        mergeCapabilities(server.capabilities, withoutUnserved(core)),
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
