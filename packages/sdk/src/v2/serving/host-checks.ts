/**
 * @fileoverview Checks of the Host and Origin headers, for applications that mount `createMcpHandler` themselves.
 * @module sdk/v2/serving/host-checks
 */
import { checkOrigin, readHostName, toHostSet } from "@tenon/internal/security/origin";
import { LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { printable } from "@tenon/internal/text";

/** Returns the host names of this machine. */
export function localhostAllowedHostnames(): string[] {
  return [...LOOPBACK_HOSTS];
}

/** Returns the host names of pages on this machine. */
export function localhostAllowedOrigins(): string[] {
  return [...LOOPBACK_HOSTS];
}

/** Returns a 403 response if the Host header is not allowed. Stops DNS rebinding. */
export function hostHeaderValidationResponse(
  request: Request,
  allowed: readonly string[],
): Response | undefined {
  const host = request.headers.get("host") ?? "";
  const name = readHostName(host);
  if (name !== undefined && toHostSet(allowed).has(name)) return undefined;
  return refuse(host === "" ? "Missing Host header" : `Invalid Host: ${printable(name ?? host)}`);
}

/** Returns a 403 response if the Origin header is not allowed. Requests without one pass: they come from no page. */
export function originValidationResponse(request: Request, allowed: readonly string[]): Response | undefined {
  const origin = request.headers.get("origin") || null;
  return checkOrigin(origin, toHostSet(allowed)).ok
    ? undefined
    : refuse(`Invalid Origin: ${printable(origin ?? "")}`);
}

function refuse(message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }, { status: 403 });
}
