/**
 * @fileoverview Handlers that an application sets by method name, with the official SDK's checks.
 * @module sdk/v2/server/request-handlers
 */
import { isLogLevel, METHODS } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { OwnHandler } from "../../server/dialect.js";
import type { Request } from "../../server/requests/request-scope.js";
import { ProtocolError, ProtocolErrorCode } from "../errors.js";
import type { StandardSchema } from "../types.js";
import { splitParams } from "./context.js";
import { parse } from "./schemas.js";

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
  const run = toRunner(method, { schemas, handler, kind: "request", known: REQUESTS });
  return {
    schema: undefined,
    handler(message, ctx) {
      const { params } = splitParams(message as Request); // Safe: the server passes the request
      if (typeof schemas !== "function") return run(params, ctx);
      assertParams(method, params ?? {});
      return run({ method, ...(params === undefined ? {} : { params }) }, ctx);
    },
  };
}

/** Creates the handler of a notification. @throws if the method is unknown and has no schemas */
export function toNotificationHandler(
  method: string,
  schemas: Pick<HandlerSchemas, "params"> | Handler,
  handler: Handler | undefined,
): OwnHandler {
  const run = toRunner(method, { schemas, handler, kind: "notification", known: NOTIFICATIONS });
  return {
    schema: undefined,
    handler(notification) {
      if (typeof schemas === "function") return run(notification, undefined);
      return run(isJsonObject(notification) ? notification["params"] : undefined, notification);
    },
  };
}

/** Arguments of `setRequestHandler` or `setNotificationHandler`. */
interface GivenHandler {
  readonly schemas: Pick<HandlerSchemas, "params"> | Handler;
  readonly handler: Handler | undefined;
  readonly kind: "request" | "notification";
  /** Methods that MCP defines. Others need schemas. */
  readonly known: ReadonlySet<string>;
}

/** Returns the function that runs a handler. With schemas, it parses the first argument. */
function toRunner(method: string, { schemas, handler, kind, known }: GivenHandler) {
  const setter = kind === "request" ? "setRequestHandler" : "setNotificationHandler";
  if (typeof schemas === "function") {
    if (known.has(method)) return schemas as (message: unknown, last: unknown) => unknown; // Safe: MCP defines the types
    throw new TypeError(
      `'${method}' is not a spec ${kind} method; pass schemas as the second argument to ${setter}().`,
    );
  }
  if (handler === undefined) throw new TypeError(`${setter}: handler is required`);
  const run = handler as (params: unknown, last: unknown) => unknown; // Safe: the schema determines the type
  const label = `Invalid params for ${kind === "request" ? "" : "notification "}${method}`;
  return async (params: unknown, last: unknown) =>
    run(await parse(schemas.params, isJsonObject(params) ? { ...params } : {}, label), last);
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
  ...METHODS.legacy,
  ...METHODS.modern,
  "sampling/createMessage",
  "elicitation/create",
  "roots/list",
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
