/**
 * @fileoverview Recognizes the `node:http` objects behind a `Request` that a bridge, such as `@hono/node-server`, creates.
 * @module tenon/transport/node-requests/node-connection
 */
import type { NodeExchange } from "./node-request-context.js";

/** Recognizes the second argument that `@hono/node-server` passes to its handler. */
export function findExchange(value: unknown): NodeExchange | undefined {
  const { incoming, outgoing } = (value ?? {}) as Partial<NodeExchange>; // Safe: every property is checked below
  return typeof incoming?.socket?.once === "function" &&
    Array.isArray(incoming.rawHeaders) &&
    typeof outgoing?.once === "function"
    ? { incoming, outgoing }
    : undefined;
}

/**
 * Returns true if a request is the bridge's own object for the exchange, and nobody has used it yet. Only then do the
 * headers and the body of the exchange equal those of the request. The bridge's object has the exchange's request and
 * texts as its only own properties. Reading or changing its headers adds an object, and a copy is a real `Request`.
 */
export function isUnusedRequestOf(request: Request, { incoming }: NodeExchange): boolean {
  // In HTTP/2, names and the target have a different form.
  if (incoming.httpVersionMajor !== 1 || incoming.readableDidRead) return false;
  const own: Readonly<Record<symbol, unknown>> = request as never; // Safe: every value is checked below
  const keys = Object.getOwnPropertySymbols(request);
  if (keys.length === known?.count && own[known.owner] === incoming) return true;
  let owner: symbol | undefined;
  for (const key of keys) {
    const value = own[key];
    if (value === incoming) owner = key;
    else if (typeof value !== "string") return false;
  }
  if (owner === undefined) return false;
  known = { owner, count: keys.length };
  return true;
}

/**
 * Form of the last unused request: the key of the exchange's request, and the number of properties. A bridge gives all
 * its requests the same properties at first and never removes one, so a request of this form is unused too.
 */
let known: { readonly owner: symbol; readonly count: number } | undefined;
