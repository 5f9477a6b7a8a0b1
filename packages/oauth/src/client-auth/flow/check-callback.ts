/**
 * @fileoverview Checks the URL that an authorization server redirected to, before its code is sent anywhere.
 * @module oauth/client-auth/flow/check-callback
 */
import type { ServerMetadata } from "../discovery/server-metadata.js";

/** Outcome of a check. `problem` never contains text from the URL. */
export type CallbackCheck =
  | { readonly ok: true; readonly parameters: URLSearchParams }
  | { readonly ok: false; readonly problem: string };

/** Expected values. */
export interface ExpectedCallback {
  readonly redirectUri: string;
  readonly state: string;
  readonly server: Pick<ServerMetadata, "issuer" | "sendsIssuer">;
}

/**
 * Checks that a redirect belongs to a sign-in: its target, `state`, and `iss` (RFC 9207). A response of a different
 * authorization server is rejected even if it is an error (mix-up attack).
 */
export function checkCallback(url: URL, expected: ExpectedCallback): CallbackCheck {
  const { redirectUri, state, server } = expected;
  if (!isSameTarget(url, new URL(redirectUri))) return failed("the redirect goes to a different URL");
  const parameters = url.searchParams;
  for (const name of ["state", "iss", "code", "error"]) {
    if (parameters.getAll(name).length > 1) return failed(`the redirect has several \`${name}\` parameters`);
  }
  if (parameters.get("state") !== state) return failed("the `state` parameter is wrong or missing");
  const issuer = parameters.get("iss");
  if (issuer === null && server.sendsIssuer) return failed("the `iss` parameter is missing");
  // Compared as text: two URLs that are equal after normalization can belong to different servers.
  if (issuer !== null && issuer !== server.issuer)
    return failed("the `iss` parameter is not the issuer of the authorization server");
  return { ok: true, parameters };
}

function isSameTarget(url: URL, expected: URL): boolean {
  for (const [name, value] of expected.searchParams) {
    if (!url.searchParams.getAll(name).includes(value)) return false;
  }
  return (
    url.protocol === expected.protocol && url.host === expected.host && url.pathname === expected.pathname
  );
}

function failed(problem: string): CallbackCheck {
  return { ok: false, problem };
}
