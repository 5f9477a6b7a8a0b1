/**
 * @fileoverview Checks the requests and results of an application's own handler for `tools/call`, as the official SDK
 * does.
 * @module sdk/server/requests/handlers
 */
import type { Exchange, McpResponse } from "tenon";
import { isToolResult } from "tenon/host";
import type { ToolResult } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { OwnHandler } from "../dialect.js";
import { requestedTaskOf, toTask } from "../task-types.js";
import { INVALID_PARAMS, RequestError } from "./errors.js";
import type { Request, RequestScopes } from "./request-scope.js";

/** Adds the checks to a handler for `tools/call`. Other handlers are returned unchanged. */
export function withToolCallChecks(method: string, handler: OwnHandler["handler"]): OwnHandler["handler"] {
  if (method !== "tools/call") return handler;
  return async (message, extra) => {
    const params = isJsonObject(message) ? message["params"] : undefined;
    const { name, arguments: args = {} } = isJsonObject(params) ? params : {};
    if (typeof name !== "string" || !isJsonObject(args)) {
      const expected = "`name` must be a string, and `arguments` an object";
      throw new RequestError(INVALID_PARAMS, `Invalid tools/call request: ${expected}`);
    }
    const result = await handler(message, extra);
    return requestedTaskOf(params) === undefined ? toCheckedResult(result) : toCreatedTask(result);
  };
}

function toCheckedResult(value: unknown): JsonObject {
  // Results of other types, such as requests for input, exist only in the stateless revision.
  if (isJsonObject(value) && value["resultType"] !== undefined) return value;
  const result = withContent(value);
  if (!isCallResult(result) || !hasObjectOutput(result)) {
    const expected = "a handler must return an object with content blocks";
    throw new RequestError(INVALID_PARAMS, `Invalid tools/call result: ${expected}`);
  }
  return { ...result };
}

/** Completes a tool's result that has no content. */
export function withContent(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { content = [], ...rest } = value;
  return { content, ...rest };
}

/** Returns true if a result has no structured content other than an object. */
export function hasObjectOutput({ structuredContent = {} }: ToolResult): boolean {
  return isJsonObject(structuredContent);
}

/** Recognizes a tool's result whose members have the right types. */
export function isCallResult(value: unknown): value is ToolResult {
  if (!isJsonObject(value)) return false;
  const { isError = false, _meta = {} } = value;
  return isToolResult(value) && typeof isError === "boolean" && isJsonObject(_meta);
}

function toCreatedTask(result: unknown): JsonObject {
  const task = isJsonObject(result) ? toTask(result["task"]) : undefined;
  if (!isJsonObject(result) || task === undefined) {
    const expected = "a handler must return the created task";
    throw new RequestError(INVALID_PARAMS, `Invalid task creation result: ${expected}`);
  }
  return { ...result, task };
}

/** Parts of a server that run its built-in handlers. */
interface BuiltInHost {
  readonly requestScopes: RequestScopes;
  handleBuiltIn(
    message: Request,
    context: unknown,
    exchange: Exchange | undefined,
  ): MaybePromise<McpResponse>;
}

/** Request handlers by method: the application's, and the built-in ones. */
export class HandlerMap {
  readonly #own: Map<string, OwnHandler>;
  readonly #host: BuiltInHost;

  constructor(own: Map<string, OwnHandler>, host: BuiltInHost) {
    this.#own = own;
    this.#host = host;
  }

  has(method: string): boolean {
    return this.#own.has(method) || BUILT_IN.has(method);
  }

  get(method: string): OwnHandler["handler"] | undefined {
    const own = this.#own.get(method)?.handler;
    return own ?? (BUILT_IN.has(method) ? (request) => this.#run(method, request) : undefined);
  }

  set(method: string, handler: OwnHandler["handler"]): this {
    this.#own.set(method, { schema: undefined, handler });
    return this;
  }

  delete(method: string): boolean {
    return this.#own.delete(method);
  }

  /** Runs a built-in handler for the request that is being handled. */
  async #run(method: string, request: unknown): Promise<unknown> {
    const scope = this.#host.requestScopes.current;
    if (scope === undefined) throw new Error(`Call the handler of "${method}" from a request handler.`);
    const given = isJsonObject(request) ? request["params"] : undefined;
    // Handlers receive parameters without the data in `_meta` that describes the client.
    const { _meta: meta } = scope.message.params ?? {};
    const params = { ...(isJsonObject(given) ? given : {}), ...(meta === undefined ? {} : { _meta: meta }) };
    // The request's own ID is in use by the application's handler.
    const message = { ...scope.message, id: `${String(scope.message.id)}-built-in`, method, params };
    const response = await this.#host.handleBuiltIn(message, undefined, scope.exchange);
    return resultOf(response);
  }
}

const BUILT_IN: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ping",
  "logging/setLevel",
  "completion/complete",
  "tools/list",
  "tools/call",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

/** Returns a response's result. @throws the response's error, with its code and data */
function resultOf(response: McpResponse): unknown {
  const reply: unknown = response.isEmpty() ? {} : JSON.parse(response.toText());
  const { result = {}, error } = isJsonObject(reply) ? reply : {};
  if (!isJsonObject(error)) return result;
  throw Object.assign(new Error(String(error["message"])), { code: error["code"], data: error["data"] });
}
