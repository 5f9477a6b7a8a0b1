/**
 * @fileoverview The error that says: a person has to sign in first, and where.
 * @module oauth/auth-required
 */
import { McpError } from "tenon/protocol";

/**
 * Thrown where nobody can be sent to a browser. The login stays open for five minutes: once the user has finished it,
 * the same call succeeds. Its message names the address, so that a tool that lets it through still tells the user.
 */
export class AuthRequiredError extends McpError {
  /** The address to open in a browser on this machine. */
  readonly authUrl: string;

  constructor(providerName: string, authUrl: string) {
    super(
      "UNAUTHORIZED",
      `Sign in with ${providerName} first. Open this address in a browser on the machine that runs the server, ` +
        `then try again: ${authUrl}`,
      { type: "auth_required", authUrl },
    );
    this.authUrl = authUrl;
  }
}
