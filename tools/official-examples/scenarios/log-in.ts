/**
 * @fileoverview Logs in at the authorization server of an official example, as a browser would.
 * @module tools/official-examples/scenarios/log-in
 */
import { createHash, randomBytes } from "node:crypto";

/** Access token for the example, and the cookie of its pages. */
export interface LoggedIn {
  readonly token: string;
  readonly cookie: string;
}

/** Registers a client, asks for authorization, which the server grants at once, and fetches a token for the resource. */
export async function logIn(authOrigin: string, resource: string): Promise<LoggedIn> {
  const redirectUri = "http://localhost/callback";
  const { client_id } = await readJson<{ client_id: string }>(`${authOrigin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: "none" }),
  });
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource,
    scope: "mcp:tools",
  });
  const granted = await fetch(`${authOrigin}/authorize?${query.toString()}`, { redirect: "manual" });
  const code = new URL(granted.headers.get("location") ?? "").searchParams.get("code") ?? "";
  const { access_token } = await readJson<{ access_token: string }>(`${authOrigin}/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      client_id,
      code_verifier: verifier,
      redirect_uri: redirectUri,
      resource,
    }).toString(),
  });
  const cookie = granted.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { token: access_token, cookie };
}

async function readJson<Body>(url: string, init: RequestInit): Promise<Body> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} failed with ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body; // the example's own format
}
