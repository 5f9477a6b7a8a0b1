/**
 * @fileoverview Sign-in to a server with OAuth. The page shows the URL, and a port of this machine receives the redirect.
 * It is a separate module, because most servers do not require a sign-in.
 * @module cli/page/launch/sign-in
 */
import { createClientAuth, type OAuthClientAuth } from "@tenon/oauth";

/** Creates the authorization. `onSignIn` is called with the URL that the user must open. */
export function createSignIn(version: string, onSignIn: (url: URL) => void): OAuthClientAuth {
  return createClientAuth({
    clientMetadata: {
      client_name: "Tenon Inspect",
      client_uri: "https://github.com/tenon-mcp/tenon",
      software_version: version,
    },
    onSignIn,
    // The user opens the URL on the page.
    openBrowser: () => Promise.resolve(),
  });
}
