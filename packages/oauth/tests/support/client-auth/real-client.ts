/**
 * @fileoverview Calls a tool over HTTP with tokens of `createClientAuth`, like a client does.
 * @module tests/oauth/support/client-auth/real-client
 */
import type { OAuthClientAuth } from "../../../src/index.js";
import { modernCall } from "../../../../../tests/support/http-messages.js";

/** Number of renewals for one request. */
const MAX_RENEWALS = 3;

/** Calls a tool, and repeats the request with a new token if the server rejects it. Returns the tool's text. */
export async function callTool(auth: OAuthClientAuth, url: URL, name: string): Promise<string> {
  const { signal } = new AbortController();
  for (let renewals = 0; ; renewals++) {
    const token = await auth.token({ url });
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(url, modernCall(name, {}, { headers }));
    const { status } = response;
    if (status === 200) {
      const { result } = (await response.json()) as {
        readonly result: { readonly content: readonly { readonly text: string }[] };
      };
      return result.content[0]?.text ?? "";
    }
    const header = response.headers.get("www-authenticate") ?? undefined;
    await response.body?.cancel();
    const isRenewed = renewals < MAX_RENEWALS && (await auth.renew({ url, status, header, token, signal }));
    if (!isRenewed) throw new Error(`The server rejected the request with HTTP ${status}.`);
  }
}
