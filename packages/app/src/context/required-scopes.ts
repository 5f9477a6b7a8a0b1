/**
 * @fileoverview The check that a handler makes itself: does the caller hold these scopes?
 * @module app/context/required-scopes
 */
import { McpError } from "tenon/protocol";
import { currentScope } from "./scope.js";

/**
 * Lets the caller pass if it holds every scope. On a server that has no authorization in place everyone passes, as
 * with the `scopes` of a tool; scopes are compared as they are, without wildcards.
 *
 * @example withRequiredScopes(["invoices:read"]);
 * @throws McpError `FORBIDDEN` with the missing scopes; `INTERNAL_ERROR` outside of a request, or on a server that does
 * not use `standard()`
 */
export function withRequiredScopes(scopes: readonly string[]): void {
  const scope = currentScope();
  if (scope?.call === undefined) {
    throw new McpError(
      "INTERNAL_ERROR",
      "Authentication context is missing. This indicates a server configuration error.",
    );
  }
  const { auth } = scope.call;
  if (auth === undefined) return;
  const missing = scopes.filter((name) => !auth.scopes.includes(name));
  if (missing.length === 0) return;
  throw new McpError(
    "FORBIDDEN",
    `Insufficient permissions. Missing required scopes: ${missing.join(", ")}`,
    { requiredScopes: [...scopes], missingScopes: missing },
  );
}
