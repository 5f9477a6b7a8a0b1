/**
 * @fileoverview Scope check for handlers and the logic they call.
 * @module app/context/required-scopes
 */
import { McpError } from "tenon/protocol";
import { currentScope } from "./scope.js";

/**
 * Asserts that the caller has all of the given scopes. On a server without authorization, every caller passes, as with
 * a tool's own `scopes`. Scopes are compared literally, without wildcards.
 *
 * @example withRequiredScopes(["invoices:read"]);
 * @throws {McpError} `FORBIDDEN` if scopes are missing
 * @throws {McpError} `INTERNAL_ERROR` outside of a request, or on a server that does not use `standard()`
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
