/**
 * @fileoverview A server's request handlers under the official SDK's private name `_requestHandlers`. Applications use
 * it to wrap built-in handlers, because the SDK has no public way.
 * @module sdk/mcp-server/requests/handler-map
 */
import type { Exchange, McpResponse } from "tenon";
import { isJsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { OwnHandler } from "./hooks.js";
import type { Request, RequestScopes } from "./request-scope.js";

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
