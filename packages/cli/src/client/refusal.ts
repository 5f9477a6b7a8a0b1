/**
 * @fileoverview Explains why a server rejected a request (HTTP 401 or 403): the server's text, and the scopes that the
 * token lacks. The text is truncated, and the request's secrets are removed from it.
 * @module cli/client/refusal
 */
import { fromBase64Url } from "@tenon/internal/base64";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import { oneLine } from "@tenon/internal/command-line/text";
import { parseFrame } from "tenon/protocol";
import { readText } from "./read-body.js";
import { CLIENT_LIMITS, TransportError } from "./transport.js";

/** Headers sent with the request. */
export type SentHeaders = readonly (readonly [string, string])[];

/** Reads a response with status 401 or 403 and creates the error that explains it. */
export async function readRefusal(response: Response, sent: SentHeaders): Promise<TransportError> {
  const { status } = response;
  const body = await readText(response.body, MAX_BODY).catch(() => "");
  const challenge = readChallenge(response.headers.get("www-authenticate") ?? "");
  const details = readDetails(body, response.headers.get("content-type") ?? "");
  const text = toSentence(withoutSecrets(details.text || (challenge["error_description"] ?? ""), sent));
  const scopes = details.scopes.length > 0 ? details.scopes : (challenge["scope"] ?? "").split(" ");
  const required = scopes.filter((scope) => scope !== "").slice(0, MAX_SCOPES);
  const token = bearerOf(sent);
  const reason = text === "" ? "." : `: ${text}`;
  const message =
    status === 401
      ? describe401(reason, token)
      : `The server denied access (HTTP 403)${reason} ${describeScopes(required, token)}`;
  return new TransportError(message, status);
}

/** Describes the scopes that a call requires and its token lacks. */
export function describeScopes(required: readonly string[], token: string | undefined): string {
  if (required.length === 0) return "Check the token's scopes and the server's allowed hosts.";
  const shown = (scopes: readonly string[]) => scopes.map((scope) => oneLine(scope, 100)).join(", ");
  if (token === undefined) return `Use --bearer-env to pass a token with these scopes: ${shown(required)}.`;
  const granted = readTokenScopes(token);
  const missing = granted === undefined ? [] : required.filter((scope) => !granted.includes(scope));
  return missing.length === 0
    ? `Required scopes: ${shown(required)}.`
    : `The token lacks these scopes: ${shown(missing)}.`;
}

/** Returns the bearer token in a request's headers. */
export function bearerOf(sent: SentHeaders): string | undefined {
  const value = sent.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  return value === undefined ? undefined : (/^Bearer +([^ ].*)$/i.exec(value)?.[1] ?? value);
}

/** Maximum size of a response body in bytes. Larger bodies are ignored. */
const MAX_BODY = 65_536;
/** Longest text from a server, in characters, and the maximum number of scopes to show. */
const MAX_TEXT = 500;
const MAX_SCOPES = 50;

function describe401(reason: string, token: string | undefined): string {
  return token === undefined
    ? `The server requires authorization (HTTP 401)${reason} Pass a token with --bearer-env.`
    : `The server rejected the token (HTTP 401)${reason}`;
}

interface Details {
  readonly text: string;
  readonly scopes: readonly string[];
}

/** Reads the message in a JSON-RPC error, an OAuth error, or plain text. */
function readDetails(body: string, type: string): Details {
  const parsed = parseFrame(body, CLIENT_LIMITS);
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

/** Reads the quoted parameters of a `WWW-Authenticate` header. */
function readChallenge(header: string): Readonly<Record<string, string>> {
  const pairs = header.slice(0, 8_192).matchAll(/(?<![a-z_])([a-z_]{1,40})="((?:[^"\\]|\\.)*)"/gi);
  return Object.fromEntries(
    [...pairs].map(([, name = "", value = ""]) => [name.toLowerCase(), value.replaceAll(/\\(.)/g, "$1")]),
  );
}

/** Reads the scopes of a JWT without verifying it. Returns `undefined` for other tokens. */
function readTokenScopes(token: string): readonly string[] | undefined {
  const claims = readClaims(token);
  if (claims === undefined) return undefined;
  const scopes = claims["scp"] ?? claims["scope"] ?? "";
  if (typeof scopes === "string") return scopes.split(" ");
  return Array.isArray(scopes) ? scopes.map(String) : undefined;
}

function readClaims(token: string): JsonObject | undefined {
  const [, payload = "", signature] = token.split(".");
  if (signature === undefined) return undefined;
  const bytes = fromBase64Url(payload);
  const text = bytes === undefined ? undefined : decodeUtf8(bytes);
  const parsed = text === undefined ? undefined : parseFrame(text, CLIENT_LIMITS);
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : undefined;
}

/** Removes the values of the request's headers, which a server might repeat. */
function withoutSecrets(text: string, sent: SentHeaders): string {
  const values = sent.flatMap(([, value]) => [value, ...value.split(" ")]).filter((one) => one.length >= 4);
  return values
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "[REDACTED]"), text);
}

function toSentence(text: string): string {
  const line = oneLine(text, MAX_TEXT);
  return line === "" || /[.!?…]$/.test(line) ? line : `${line}.`;
}
