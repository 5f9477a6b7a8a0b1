/**
 * @fileoverview Sends requests that `fetch` does not allow.
 * @module tests/oauth/support/raw-request
 */
import { type IncomingHttpHeaders, request } from "node:http";

/** The request to send. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request unchanged, and returns the response's status and headers. */
export function getRaw(
  to: URL,
  { method, path, headers }: RawRequest,
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: to.hostname.replace(/^\[|\]$/g, ""), port: to.port, method, path, headers },
      (response) => {
        response.resume();
        response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
      },
    );
    sent.once("error", reject);
    sent.end();
  });
}
