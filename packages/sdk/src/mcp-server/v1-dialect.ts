/**
 * @fileoverview The behavior of version 1 of the official SDK.
 * @module sdk/mcp-server/v1-dialect
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { McpPromptArgumentDefinition } from "tenon/protocol";
import { type Dialect, PLAIN_METHODS } from "./dialect.js";
import { compile, fieldsOf, isOptional, parseRequest, toSchema } from "./registrations/schemas.js";
import { describeFor, failTool, numbered } from "./requests/errors.js";
import { failureResponse } from "./requests/own-methods.js";
import { withPlainUri } from "./requests/plain-uri.js";
import type { RequestScope } from "./requests/request-scope.js";
import { toSdkResponse, withDeclaredCapabilities } from "./requests/sdk-response.js";
import type { McpExtra } from "./requests/types.js";

/** Parts of a server that the dialect uses. */
interface V1Server {
  readonly capabilities: JsonObject;
  extraOf(scope: RequestScope): McpExtra;
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
    toErrorReply: failureResponse,
    prepare: withPlainUri,
    isPlain: (method) => PLAIN_METHODS.has(method),
    convert: toSdkResponse,
    complete(scope, response) {
      const { method } = scope.message;
      return method === "initialize" || method === "server/discover"
        ? withDeclaredCapabilities(scope, response, server.capabilities)
        : response;
    },
  };
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
