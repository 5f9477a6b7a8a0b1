/**
 * @fileoverview The behavior of version 2 of the official SDK.
 * @module sdk/v2/server/dialect
 */
import { errorResult, type McpResponse } from "tenon";
import { errorResponse, resultResponse } from "tenon/host";
import {
  isRevisionOf,
  LATEST_LEGACY,
  type McpPromptArgumentDefinition,
  type ToolResult,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { codeOf } from "@tenon/internal/thrown";
import { describeUndeclared } from "../../server/capabilities.js";
import {
  type Conversion,
  type Dialect,
  type Hooks,
  PLAIN_METHODS,
  type Registrations,
  UNSERVED_METHODS,
} from "../../server/dialect.js";
import { toFailure } from "../../server/requests/errors.js";
import { failureResponse, refusalOf } from "../../server/requests/own-methods.js";
import type { Failure, RequestScope } from "../../server/requests/request-scope.js";
import { describeMissing, resultOf, withExtensions, withPlainUri } from "../../server/requests/responses.js";
import { ProtocolError, ProtocolErrorCode } from "../errors.js";
import { isInputRequiredResult } from "../input/input-required.js";
import {
  assertModernInput,
  INPUT_METHODS,
  invalidState,
  RoundError,
  type RoundHost,
  runLegacyRounds,
  withState,
} from "../input/rounds.js";
import type { ServerContext } from "../types.js";
import { type ContextHost, createContext, splitParams, withoutRounds } from "./context.js";
import type { V2Messenger, MessengerHost } from "./messenger.js";
import {
  cut,
  describeResource,
  finish,
  finishOwn,
  isCacheable,
  isPrivateList,
  refuse,
  replaceCache,
  withCache,
} from "./results.js";
import { compileSchema, describeIssues, toSchema } from "./schemas.js";

/** Parts of a server that the dialect uses. */
export interface DialectHost {
  readonly server: ContextHost["server"] & MessengerHost & Pick<Hooks, "fallbackRequestHandler">;
  readonly messenger: V2Messenger;
  readonly registrations: Registrations;
}

/** Creates the dialect of a version 2 server. */
export function createDialect(host: DialectHost): Dialect {
  const run = (scope: RequestScope, callback: (ctx: unknown) => unknown) =>
    runCallback(scope, callback, host);
  return {
    tracksSubscriptions: false,
    listsMetadataTitle: true,
    anyOutput: true,
    describeIssues,
    describeError: (_code, text) => text,
    toSchema,
    compile: compileSchema,
    listArguments: (_schema, { jsonSchema }) => listArguments(jsonSchema),
    argumentOf: (scope) => createContext(scope, host),
    run,
    async runOwn(own, scope) {
      host.messenger.remember(scope);
      const { message } = scope;
      const { params } = splitParams(message);
      const request = params === undefined ? message : { ...message, params };
      const result = await run(scope, (ctx) => own.handler(request, ctx));
      return finishOwn(scope, scope.reply ?? result, host.server.settings.cacheHints);
    },
    failTool: (scope, error) => failTool(scope, error),
    toErrorReply,
    missing: (method) => {
      const { fallbackRequestHandler: handler } = host.server;
      return handler === undefined || isAvailable(method, host) ? undefined : { schema: undefined, handler };
    },
    intercept(message, exchange) {
      if (isAvailable(message.method, host)) return undefined;
      const era = exchange?.connection.era ?? "legacy";
      return (
        refusalOf(message, exchange) ??
        errorResponse(message.id, { error: "METHOD_NOT_FOUND", message: "Method not found", era })
      );
    },
    prepare(message, exchange, registrations) {
      // Other methods, such as `tasks/update`, may have parameters with the same names.
      const hasRounds = INPUT_METHODS.includes(message.method);
      return withPlainUri(hasRounds ? withoutRounds(message) : message, exchange, registrations);
    },
    isPlain: (method, exchange) => exchange?.connection.era !== "modern" && PLAIN_METHODS.has(method),
    convert(scope, response, conversion) {
      host.messenger.remember(scope);
      return convert(scope, response, conversion);
    },
    complete: (scope, response) => complete(scope, response, host),
  };
}

/** Returns true if the core handles the method, or if it is unknown. */
function isAvailable(method: string, { server: { capabilities } }: DialectHost): boolean {
  return describeUndeclared(method, capabilities) === undefined && !UNSERVED_METHODS.has(method);
}

/** Runs a callback, including the rounds in which it asks for input. */
async function runCallback(
  scope: RequestScope,
  callback: (ctx: unknown) => unknown,
  host: DialectHost,
): Promise<unknown> {
  const { method } = scope.message;
  const first = createContext(scope, host);
  if (!INPUT_METHODS.includes(method)) {
    const value = await callback(first);
    if (!isInputRequiredResult(value)) return value;
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `Handler for ${method} returned an input-required result. ` +
        "Only tools/call, prompts/get, and resources/read may ask for input.",
    );
  }
  const rounds = host.messenger.roundsOf(scope);
  const isTask = scope.call?.taskId !== undefined;
  const isModern = scope.era === "modern" && !isTask;
  const ctx = await protect(scope, () => verified(first, rounds));
  const result = await Promise.resolve()
    .then(() => callback(ctx))
    .catch((error: unknown) => rejectUrlError(scope, error));
  if (!isInputRequiredResult(result)) return finish(scope, result, host.server.settings.cacheHints);
  if (isModern) {
    await protect(scope, () => assertModernInput(method, result, rounds));
    scope.reply = { ...result };
    return PLACEHOLDERS[method];
  }
  // A task asks its questions itself, as earlier revisions do.
  if (!rounds.settings.legacyShim && !isTask) return protect(scope, () => rejectInput(scope, method));
  const value = await runLegacyRounds(result, ctx, { host: rounds, callback }).catch((error: unknown) =>
    rethrow(scope, error),
  );
  return finish(scope, value, host.server.settings.cacheHints);
}

/** Results for the core if the client is asked for input. They are never sent. */
const PLACEHOLDERS: Readonly<Record<string, JsonObject>> = {
  "tools/call": { content: [] },
  "prompts/get": { messages: [] },
  "resources/read": { contents: [] },
};

/** Returns the context with the verified state of the previous round. */
async function verified(ctx: ServerContext, rounds: RoundHost): Promise<ServerContext> {
  const state: unknown = ctx.mcpReq.requestState();
  if (state === undefined) return ctx;
  if (typeof state !== "string") throw invalidState();
  return withState(ctx, state, rounds);
}

/** Runs a check whose error must reach the client as a JSON-RPC error, even from a tool. */
async function protect<Value>(scope: RequestScope, task: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await task();
  } catch (error) {
    scope.failure = toFailure(error, true);
    throw error;
  }
}

/** Rethrows an error of the rounds, which is a JSON-RPC error, or of the callback. */
function rethrow(scope: RequestScope, error: unknown): never {
  if (error instanceof RoundError) scope.failure = toFailure(error, true);
  throw error;
}

function rejectInput(scope: RequestScope, method: string): never {
  throw new ProtocolError(
    ProtocolErrorCode.InternalError,
    `Handler for ${method} returned an input-required result, but protocol revision ${scope.caller.revision} does not have them, and \`inputRequired.legacyShim\` is off.`,
  );
}

/** Converts a tool's error. Errors for the client are results with their message; others are logged by the core. */
function failTool(scope: RequestScope, error: unknown): ToolResult {
  if (scope.failure !== undefined) throw error;
  if (error instanceof RoundError || codeOf(error) === ProtocolErrorCode.UrlElicitationRequired) {
    scope.failure = toFailure(error, true);
    throw error;
  }
  if (error instanceof ProtocolError) return errorResult(error.message);
  throw error instanceof Error ? error : new Error(String(error));
}

/** Rethrows an error of a callback. The stateless revision does not have "URL elicitation required". */
function rejectUrlError(scope: RequestScope, error: unknown): never {
  if (scope.era !== "modern" || codeOf(error) !== ProtocolErrorCode.UrlElicitationRequired) throw error;
  throw new RoundError(
    ProtocolErrorCode.InternalError,
    `Protocol revision ${scope.caller.revision} does not have the error -32042. ` +
      "Return inputRequired({ inputRequests: { key: inputRequired.elicitUrl({ … }) } }) instead of throwing it.",
  );
}

function listArguments({ properties, required }: JsonObject): readonly McpPromptArgumentDefinition[] {
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => {
    const description = isJsonObject(property) ? property["description"] : undefined;
    return {
      name,
      ...(typeof description === "string" ? { description } : {}),
      required: needed.includes(name),
    };
  });
}

function convert(
  scope: RequestScope,
  response: McpResponse,
  { encoderOf, registrations }: Conversion,
): McpResponse {
  if (response.isEmpty()) return response;
  if (scope.failure !== undefined) return toErrorReply(scope, scope.failure);
  if (scope.reply !== undefined) return resultResponse(scope.message.id, encoderOf().custom(scope.reply));
  if (response.error === undefined) {
    scope.isScopedList = scope.message.method.endsWith("/list") && isPrivateList(response);
    return response;
  }
  const { uri } = scope.message.params ?? {};
  if (response.error === "RESOURCE_NOT_FOUND" && typeof uri === "string")
    return toErrorReply(scope, describeResource(uri, registrations, scope.exchange?.auth));
  const told = describeMissing(scope, response.error, { registrations, cut });
  if (told !== undefined) return toErrorReply(scope, refuse(told));
  return response.error === "METHOD_NOT_FOUND"
    ? errorResponse(scope.message.id, {
        error: "METHOD_NOT_FOUND",
        message: "Method not found",
        era: scope.era,
      })
    : response;
}

/** Creates an error reply. Resource errors of older servers get today's code. */
function toErrorReply(scope: RequestScope, failure: Failure): McpResponse {
  const { code, message, data } = failure;
  if (code === ProtocolErrorCode.MissingRequiredClientCapability) {
    return errorResponse(scope.message.id, {
      error: "MISSING_CAPABILITY",
      code,
      message,
      data,
      era: scope.era,
    });
  }
  const sent = code === ProtocolErrorCode.ResourceNotFound ? ProtocolErrorCode.InvalidParams : code;
  return failureResponse(scope, { ...failure, code: sent });
}

function complete(scope: RequestScope, response: McpResponse, host: DialectHost): McpResponse {
  const { id, method, params } = scope.message;
  const { capabilities, settings } = host.server;
  const { cacheHints, legacyVersions, modernVersions } = settings;
  const isModern = scope.era === "modern";
  if (method === "initialize") {
    const result = resultOf(response);
    const requested = params?.["protocolVersion"];
    const protocolVersion =
      legacyVersions.find((version) => version === requested) ?? legacyVersions[0] ?? LATEST_LEGACY;
    const connection = scope.exchange?.connection;
    if (connection !== undefined && isRevisionOf("legacy", protocolVersion))
      connection.revision = protocolVersion;
    const all = withExtensions(capabilities, capabilities, capabilitiesOf(result));
    return resultResponse(id, JSON.stringify({ ...result, protocolVersion, capabilities: all }));
  }
  if (method === "server/discover" && isModern) {
    const { ttlMs: _, cacheScope: __, ...result } = resultOf(response);
    const all = withExtensions(capabilities, capabilities, capabilitiesOf(result));
    const found = { ...result, supportedVersions: modernVersions, capabilities: all };
    return resultResponse(id, JSON.stringify(withCache(found, [cacheHints["server/discover"]])));
  }
  if (!isModern || !method.endsWith("/list") || !isCacheable(method)) return response;
  const hint = cacheHints[method];
  return replaceCache(response, scope.isScopedList ? { ...hint, cacheScope: "private" } : hint);
}

function capabilitiesOf({ capabilities }: JsonObject): JsonObject {
  return isJsonObject(capabilities) ? capabilities : {};
}
