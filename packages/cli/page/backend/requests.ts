/**
 * @fileoverview Requests to the backend of the page, and the reasons why they fail.
 * @module cli/page-app/backend/requests
 */
import { isJsonObject } from "@tenon/internal/json";

/** Sends a request: `fetch` of the browser, or of a test. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Path of the backend. */
export const API_PATH = "/_dev/api/";

/** Failure of a command, with a message for the user. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Reads the message of a failed response. */
export async function readFailure(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (isJsonObject(body) && typeof body["error"] === "string") return body["error"];
  } catch {
    // The response is not from the backend. Its status says enough.
  }
  return `The command responded with HTTP status ${response.status}.`;
}

/** Returns the message of a failure for the user. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? error.message : "The command failed for an unknown reason.";
}
