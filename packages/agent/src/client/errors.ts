/**
 * @fileoverview Error of the agent client.
 * @module agent/client/errors
 */

/**
 * Reason for a failed request: `close` was called, the server rejected the request, it did not respond in time, it
 * rejected the token, or the connection was lost.
 */
export type AgentClientErrorCode = "closed" | "rejected" | "timeout" | "unauthorized" | "disconnected";

/** Thrown if a request of the agent client fails. */
export class AgentClientError extends Error {
  override readonly name = "AgentClientError";
  /** Reason for the failure. */
  readonly code: AgentClientErrorCode;

  constructor(code: AgentClientErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
