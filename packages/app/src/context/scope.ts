/**
 * @fileoverview Data of the current request, available anywhere in its async call chain.
 * @module app/context/scope
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Call } from "tenon/host";
import type { Auth } from "tenon";
import type { RequestContext } from "./request-context.js";

/** Data of one request. */
export interface Scope {
  readonly call: Call | undefined;
  /** Request context. It may be created on first access. */
  readonly context: RequestContext | undefined;
}

/** Runs a function and everything it starts within a scope. */
export function runInScope<T>(scope: Scope, run: () => T): T {
  return scopes.run(scope, run);
}

/** Returns the scope of the current request. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/** Returns the current call, on a server that uses `standard()`. */
export function currentCall(): Call | undefined {
  return scopes.getStore()?.call;
}

/**
 * Returns the authenticated caller. Returns `undefined` outside of a request, or on a server without authorization.
 */
export function currentAuth(): Auth | undefined {
  return scopes.getStore()?.call?.auth;
}

const scopes = /* @__PURE__ */ new AsyncLocalStorage<Scope>();
