/**
 * @fileoverview What belongs to the request that is being answered, wherever in its course one asks.
 * @module app/context/scope
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Call } from "tenon/host";
import type { Auth } from "tenon";
import type { RequestContext } from "./request-context.js";

/** Facts that are known during one request. */
export interface Scope {
  readonly call: Call | undefined;
  /** The request context; it may be made when it is first asked for. */
  readonly context: RequestContext | undefined;
}

/** Runs a function, and all that it starts, within a scope. */
export function runInScope<T>(scope: Scope, run: () => T): T {
  return scopes.run(scope, run);
}

/** The scope of the request that is being answered. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** The call that is being answered, on a server that uses `standard()`. */
export function currentCall(): Call | undefined {
  return scopes.getStore()?.call;
}

/** Returns the caller. Returns `undefined` outside of a request, or on a server without authorization. */
export function currentAuth(): Auth | undefined {
  return scopes.getStore()?.call?.auth;
}

const scopes = /* @__PURE__ */ new AsyncLocalStorage<Scope>();
