/**
 * @fileoverview Routes that an application adds to one of this package's routers. The `router` package, which Express
 * itself uses, is loaded when the first route is added.
 * @module kit/serving/added-routes
 */
import type { IncomingMessage, ServerResponse } from "node:http";

/** Methods of a router or route, by name. */
export type Methods = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

/** Routes in the order in which they were added. */
export interface AddedRoutes {
  readonly isEmpty: boolean;
  readonly stack: readonly unknown[];
  /** Calls a router method, either now or once the router is loaded. */
  record(call: (router: Methods) => unknown): void;
  /** Runs the matching routes. If one could not be added, every request fails, because that route may check access. */
  run(request: IncomingMessage, response: ServerResponse, done: (error?: unknown) => void): void;
}

/** Creates an empty list of routes. */
export function createAddedRoutes(): AddedRoutes {
  const waiting: ((router: Methods) => unknown)[] = [];
  let inner: Awaited<ReturnType<typeof loadRouter>> | undefined;
  let loading: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  const load = async () => {
    try {
      const loaded = await loadRouter();
      for (const call of waiting.splice(0)) call(loaded as unknown as Methods); // Safe: the package has these methods
      inner = loaded;
    } catch (error) {
      failure = { error };
    }
  };
  return {
    get isEmpty() {
      return loading === undefined;
    },
    get stack() {
      return inner?.stack ?? [];
    },
    record(call) {
      if (inner === undefined) waiting.push(call);
      else call(inner as unknown as Methods); // Safe: the package has these methods
      loading ??= load();
    },
    run(request, response, done) {
      const go = () => (inner === undefined ? done(failure?.error) : inner(request, response, done));
      if (inner !== undefined) go();
      else void loading?.then(go).catch(done);
    },
  };
}

async function loadRouter() {
  const { default: createRouter } = await import("router");
  return createRouter();
}
