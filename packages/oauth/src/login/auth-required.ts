/**
 * @fileoverview The error thrown when the user must sign in first.
 * @module oauth/auth-required
 */
import { McpError } from "tenon/protocol";

/**
 * Thrown if the user must sign in and no browser can be opened. The login stays open for five minutes: once the user
 * has completed it, the same call succeeds. The message contains the URL, so that a tool that does not catch the error
 * still shows it to the user.
 */
export class AuthRequiredError extends McpError {
  /** URL to open in a browser on this machine. */
  readonly authUrl: string;

  constructor(providerName: string, authUrl: string) {
    super(
      "UNAUTHORIZED",
      `Sign in with ${providerName} first. Open this URL in a browser on the machine that runs the server, ` +
        `then try again: ${authUrl}`,
      { type: "auth_required", authUrl },
    );
    this.authUrl = authUrl;
  }
}
