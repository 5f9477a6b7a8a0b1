/**
 * @fileoverview Creates the error for an HTTP response that is not a success. Texts of the server are truncated, and
 * the request's secrets are removed from them.
 * @module tenon/client/transports/http-failure
 */
import { oneLine } from "@tenon/internal/text";
import { isJsonObject } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";
import { DEFAULT_LIMITS, parseFrame } from "../../protocol/index.js";
import { ConnectionError } from "../errors.js";
import { readText } from "./read-body.js";

/** Creates the error for a response without a JSON-RPC message. */
export function httpFailure({ status, headers, url }: Response): ConnectionError {
  if (status >= 300 && status < 400) {
    const target = readTarget(headers.get("location"), url);
    return new ConnectionError(
      `The server redirects to ${target} (HTTP ${status}). Redirects are not followed. Use that URL instead.`,
      { code: "redirect", status },
    );
  }
  if (status === 404 || status === 405) {
    return new ConnectionError(
      `The URL is not an MCP endpoint (HTTP ${status}). Check its path, which is usually /mcp.`,
      { code: "http", status },
    );
  }
  return new ConnectionError(`The server responded with HTTP ${status}. Check the server's log.`, {
    code: "http",
    status,
  });
}

/**
 * Reads a response with status 401 or 403 and creates its error.
 *
 * @param secrets values of the request that the server's text must not repeat
 */
export async function readRejection(
  response: Response,
  secrets: readonly string[],
): Promise<ConnectionError> {
  const { status, headers } = response;
  const body = await readText(response.body, MAX_BODY).catch(() => "");
  const challenge = readChallenge(headers.get("www-authenticate") ?? "");
  const details = readDetails(body, headers.get("content-type") ?? "");
  const reason = toSentence(withoutSecrets(details.text || (challenge["error_description"] ?? ""), secrets));
  const scopes = details.scopes.length > 0 ? details.scopes : (challenge["scope"] ?? "").split(" ");
  const what =
    status === 401 ? `The server requires authorization (HTTP 401)` : `The server denied access (HTTP 403)`;
  return new ConnectionError(`${what}${reason === "" ? "." : `: ${reason}`}`, {
    code: status === 401 ? "unauthorized" : "forbidden",
    status,
    reason,
    requiredScopes: scopes.filter((scope) => scope !== "").slice(0, MAX_SCOPES),
  });
}

/** Returns true if a response asks for a token with more scopes. */
export function asksForScopes({ status, headers }: Response): boolean {
  return (
    status === 403 && readChallenge(headers.get("www-authenticate") ?? "")["error"] === "insufficient_scope"
  );
}

/** Maximum size of a response body in bytes. Larger bodies are ignored. */
const MAX_BODY = 65_536;
/** Longest text from a server, in characters, and the maximum number of scopes. */
const MAX_TEXT = 500;
const MAX_SCOPES = 50;

/** Returns a redirect's target without its query, which may repeat a secret from the request. */
function readTarget(location: string | null, base: string): string {
  if (location === null || !isUrl(location, base)) return "a different URL";
  const { origin, pathname } = new URL(location, base);
  return oneLine(`${origin}${pathname}`);
}

interface Details {
  readonly text: string;
  readonly scopes: readonly string[];
}

/** Reads the message in a JSON-RPC error, an OAuth error, or plain text. */
function readDetails(body: string, type: string): Details {
  const parsed = parseFrame(body, DEFAULT_LIMITS);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    return { text: type.toLowerCase().startsWith("text/plain") ? body : "", scopes: [] };
  }
  const { error, error_description: description, message, detail } = parsed.value;
  const rpc = isJsonObject(error) ? error : {};
  const data = isJsonObject(rpc["data"]) ? rpc["data"] : {};
  const text = [rpc["message"], description, message, detail, error].find((one) => typeof one === "string");
  const scopes: readonly unknown[] = Array.isArray(data["requiredScopes"]) ? data["requiredScopes"] : [];
  return { text: text ?? "", scopes: scopes.filter((scope) => typeof scope === "string") };
}

/** Reads the parameters of a `WWW-Authenticate` header. */
function readChallenge(header: string): Readonly<Record<string, string>> {
  const pairs = header.slice(0, 8_192).matchAll(/(?<![a-z_])([a-z_]{1,40})="((?:[^"\\]|\\.)*)"/gi);
  return Object.fromEntries(
    [...pairs].map(([, name = "", value = ""]) => [name.toLowerCase(), value.replaceAll(/\\(.)/g, "$1")]),
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const values = secrets.flatMap((value) => [value, ...value.split(" ")]).filter((one) => one.length >= 4);
  return values
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "[REDACTED]"), text);
}

function toSentence(text: string): string {
  const line = oneLine(text, MAX_TEXT);
  return line === "" || /[.!?…]$/.test(line) ? line : `${line}.`;
}
