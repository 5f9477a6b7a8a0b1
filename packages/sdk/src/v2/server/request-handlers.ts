/**
 * @fileoverview Handlers that an application sets by method name, with the official SDK's checks.
 * @module sdk/v2/server/request-handlers
 */
import { isLogLevel } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { OwnHandler } from "../../mcp-server/requests/hooks.js";
import type { Request } from "../../mcp-server/requests/request-scope.js";
import { ProtocolError, ProtocolErrorCode } from "../errors.js";
import type { Checked, StandardSchema } from "../types.js";
import { splitParams } from "../input/wire-params.js";
import { describeIssues } from "./schemas.js";

/** Schemas of a method that MCP does not define. */
export interface HandlerSchemas {
  readonly params: StandardSchema;
  readonly result?: StandardSchema | undefined;
}

type Handler = (message: never, last: never) => unknown;

/** Creates the handler of a request. @throws if the method is unknown and has no schemas */
export function toRequestHandler(
  method: string,
  schemas: HandlerSchemas | Handler,
  handler: Handler | undefined,
): OwnHandler {
  if (typeof schemas === "function") {
    if (!REQUESTS.has(method)) {
      throw new TypeError(
        `'${method}' is not a spec request method; pass schemas as the second argument to setRequestHandler().`,
      );
    }
    const run = schemas as (request: unknown, ctx: unknown) => unknown; // Safe: the method determines the types
    return {
      schema: undefined,
      handler(message, ctx) {
        const { params } = splitParams(message as Request); // Safe: the server passes the request
        assertParams(method, params ?? {});
        return run({ method, ...(params === undefined ? {} : { params }) }, ctx);
      },
    };
  }
  if (handler === undefined) throw new TypeError("setRequestHandler: handler is required");
  const run = handler as (params: unknown, ctx: unknown) => unknown; // Safe: the schema determines the type
  return {
    schema: undefined,
    async handler(message, ctx) {
      const { params } = splitParams(message as Request); // Safe: the server passes the request
      return run(await parse(schemas.params, { ...params }, `Invalid params for ${method}`), ctx);
    },
  };
}

/** Creates the handler of a notification. @throws if the method is unknown and has no schemas */
export function toNotificationHandler(
  method: string,
  schemas: { readonly params: StandardSchema } | Handler,
  handler: Handler | undefined,
): OwnHandler {
  if (typeof schemas === "function") {
    if (!NOTIFICATIONS.has(method)) {
      throw new TypeError(
        `'${method}' is not a spec notification method; pass schemas as the second argument to setNotificationHandler().`,
      );
    }
    const run = schemas as (notification: unknown) => unknown; // Safe: the method determines the type
    return { schema: undefined, handler: (notification) => run(notification) };
  }
  if (handler === undefined) throw new TypeError("setNotificationHandler: handler is required");
  const run = handler as (params: unknown, notification: unknown) => unknown; // Safe: the schema determines the type
  return {
    schema: undefined,
    async handler(notification) {
      const params = isJsonObject(notification) ? notification["params"] : undefined;
      const given = isJsonObject(params) ? { ...params } : {};
      return run(
        await parse(schemas.params, given, `Invalid params for notification ${method}`),
        notification,
      );
    },
  };
}

/** Parses a value. @throws {ProtocolError} with the issues if it is invalid */
export async function parse(schema: StandardSchema, value: unknown, label: string): Promise<unknown> {
  const checked: Checked<unknown> = await schema["~standard"].validate(value);
  if (checked.issues === undefined) return checked.value;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${label}: ${describeIssues(checked.issues)}`);
}

/** Checks the parameters that handlers rely on. @throws {ProtocolError} if one of them has the wrong type */
function assertParams(method: string, params: JsonObject): void {
  const check = Object.hasOwn(PARAMS, method) ? PARAMS[method] : undefined;
  const wrong = check?.(params);
  if (wrong !== undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${wrong}`);
  }
}

const isText = (value: unknown) => typeof value === "string";
const needsName = ({ name }: JsonObject) => (isText(name) ? undefined : "name must be a string");
const needsUri = ({ uri }: JsonObject) => (isText(uri) ? undefined : "uri must be a string");

const PARAMS: Readonly<Record<string, (params: JsonObject) => string | undefined>> = {
  "tools/call": (params) =>
    needsName(params) ??
    (params["arguments"] === undefined || isJsonObject(params["arguments"])
      ? undefined
      : "arguments must be an object"),
  "prompts/get": needsName,
  "resources/read": needsUri,
  "resources/subscribe": needsUri,
  "resources/unsubscribe": needsUri,
  "logging/setLevel": ({ level }) => (isLogLevel(level) ? undefined : "level must be a log level"),
  "completion/complete": ({ ref, argument }) =>
    isJsonObject(ref) && isJsonObject(argument) && isText(argument["name"]) && isText(argument["value"])
      ? undefined
      : "ref and argument must be objects",
};

const REQUESTS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ping",
  "initialize",
  "server/discover",
  "completion/complete",
  "logging/setLevel",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "tools/call",
  "tools/list",
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
  "subscriptions/listen",
]);

const NOTIFICATIONS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "notifications/cancelled",
  "notifications/progress",
  "notifications/initialized",
  "notifications/roots/list_changed",
  "notifications/message",
  "notifications/resources/updated",
  "notifications/resources/list_changed",
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/elicitation/complete",
]);
