/**
 * @fileoverview Makes the current request available anywhere in its async call chain.
 * @module app/context/scope
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Call } from "tenon/host";
import type { RequestContext } from "./request-context.js";

/** The current request. `call` is `undefined` outside of a server call, for example in a background job. */
export interface Scope {
  readonly call: Call | undefined;
  /** Request context. Some scopes create it on first access. */
  readonly context: RequestContext | undefined;
}

/** Runs a function in a scope. Async work that the function starts inherits the scope. */
export function runInScope<T>(scope: Scope, run: () => T): T {
  return scopes.run(scope, run);
}

/** Returns the current scope, or `undefined` outside of a request. */
export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

/**
 * Returns the current call. Its `auth` is the authenticated caller. Returns `undefined` outside of a request, or if the
 * server does not use `standard()`.
 */
export function currentCall(): Call | undefined {
  return scopes.getStore()?.call;
}

const scopes = /* @__PURE__ */ new AsyncLocalStorage<Scope>();
