/**
 * @fileoverview Gives a request handler the methods of an Express router, so that it fits Express's `Router` type.
 * @module kit/serving/express-router
 */
import { type IncomingMessage, METHODS, type ServerResponse } from "node:http";
import { kindOf } from "@tenon/internal/kind-of";
import { type AddedRoutes, createAddedRoutes, type Methods } from "./added-routes.js";

/** Passes a request, or an error, to the next handler. */
export type Next = (error?: unknown) => void;

/** Request handler for Express, Connect, and `node:http`. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse, next: Next) => unknown;

/** Adds handlers for a path, or for all paths. Returns the router. */
export interface AddRoute<Router> {
  (path: string | RegExp, ...handlers: readonly RouteHandler[]): Router;
  (...handlers: readonly RouteHandler[]): Router;
  /** Accepts all other argument forms that Express supports. */
  (...given: readonly unknown[]): Router;
}

/** HTTP methods that a router has in Express's types. */
type Method =
  | "all"
  | "get"
  | "post"
  | "put"
  | "delete"
  | "patch"
  | "options"
  | "head"
  | "checkout"
  | "connect"
  | "copy"
  | "lock"
  | "merge"
  | "mkactivity"
  | "mkcol"
  | "move"
  | "m-search"
  | "notify"
  | "propfind"
  | "proppatch"
  | "purge"
  | "report"
  | "search"
  | "subscribe"
  | "trace"
  | "unlock"
  | "unsubscribe"
  | "link"
  | "unlink";

/** Handler added to a router. */
export interface RouterLayer {
  route?: ExpressRoute;
  name: string;
  params?: Record<string, string>;
  keys: string[];
  path?: string;
  method: string;
  regexp: RegExp;
  handle: RouteHandler;
}

/** Handlers for one path. */
export type ExpressRoute = {
  path: string;
  stack: RouterLayer[];
} & { [Name in Method]: AddRoute<ExpressRoute> };

/** Methods of an Express router. Handlers added with them run before the router's own handler. */
export type ExpressRouter = {
  param(name: string, handler: unknown): ExpressRouter;
  use: AddRoute<ExpressRouter>;
  route(path: unknown): ExpressRoute;
  stack: RouterLayer[];
} & { [Name in Method]: AddRoute<ExpressRouter> } & ((
    request: IncomingMessage,
    response: ServerResponse,
    next?: Next,
  ) => void);

/**
 * Gives a handler the methods of an Express router. Added handlers run first, so that a check added with `use`
 * protects the handler. Until one is added, requests go directly to the handler.
 */
export function toExpressRouter(
  handler: (request: IncomingMessage, response: ServerResponse, next?: Next) => void,
): ExpressRouter {
  const added = createAddedRoutes();
  const router = (request: IncomingMessage, response: ServerResponse, next?: Next): void => {
    if (added.isEmpty) return handler(request, response, next);
    added.run(request, response, (error) => {
      if (error === undefined || error === null) handler(request, response, next);
      else fail(response, error, next);
    });
  };
  const methods = methodsOf(ROUTER_METHODS, (name, given) => {
    added.record((target) => target[name]?.(...given));
    return router;
  });
  Object.assign(router, methods, { route: (path: unknown) => createRoute(added, path) });
  Object.defineProperty(router, "stack", { get: () => added.stack, enumerable: true });
  return router as unknown as ExpressRouter; // Safe: the type declares only the members above
}

function fail(response: ServerResponse, error: unknown, next: Next | undefined): void {
  if (next !== undefined) next(error);
  else if (response.headersSent) response.destroy();
  else response.writeHead(500).end();
}

function createRoute(added: AddedRoutes, path: unknown): object {
  let real: Methods | undefined;
  // Safe: `route` returns the package's route object.
  added.record((target) => (real = target["route"]?.(path) as Methods));
  const route = { path: String(path) };
  const methods = methodsOf(ROUTE_METHODS, (name, given) => {
    added.record(() => real?.[name]?.(...given));
    return route;
  });
  Object.assign(route, methods);
  return Object.defineProperty(route, "stack", { get: () => real?.["stack"] ?? [], enumerable: true });
}

/** Creates a function for each method name. It requires a handler: a missing one would only fail at request time. */
function methodsOf(
  names: readonly string[],
  add: (name: string, given: readonly unknown[]) => unknown,
): object {
  const entries = names.map((name) => {
    const method = (...given: readonly unknown[]) => {
      const handlers = given.flat(Infinity).filter((one) => typeof one === "function");
      if (handlers.length > 0) return add(name, given);
      throw new TypeError(
        `\`router.${name}\` requires at least one handler function; got ${given.map(kindOf).join(", ") || "nothing"}.`,
      );
    };
    return [name, method] as const;
  });
  return Object.fromEntries(entries);
}

const ROUTE_METHODS: readonly string[] = ["all", ...METHODS.map((one) => one.toLowerCase())];
const ROUTER_METHODS: readonly string[] = [...ROUTE_METHODS, "use", "param"];
