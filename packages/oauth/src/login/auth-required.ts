/**
 * @fileoverview Error for calls that require the user to sign in first.
 * @module oauth/login/auth-required
 */
import { McpError } from "tenon/protocol";

/**
 * Thrown if the user must sign in and no browser can be opened. The login stays open for five minutes. Once the user
 * has completed it, the same call succeeds. The message contains the URL, so users see it even if a tool does not catch
 * the error.
 */
export class AuthRequiredError extends McpError {
  /** URL to open in a browser on the server's machine. */
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
