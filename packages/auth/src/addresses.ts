/**
 * @fileoverview Checks URLs that authorization relies on. They must use https, or http on a loopback address.
 * @module auth/addresses
 */
import { isLoopbackHttp } from "@tenon/internal/security/loopback";
import { isUrl } from "@tenon/internal/security/is-url";

/** Returns true if a value is an absolute https (or loopback http) URL without credentials, query, or fragment. */
export function isSafeAddress(text: unknown): text is string {
  if (typeof text !== "string" || /[?#\s]/.test(text)) return false;
  const url = toUrl(text);
  if (url === undefined) return false;
  const isBare = url.username === "" && url.password === "";
  return isBare && (url.protocol === "https:" || isLoopbackHttp(text));
}

/** Returns true if a value is such a URL, or one with a query, which some issuers use to identify the tenant. */
export function isSafeKeyAddress(text: unknown): text is string {
  if (typeof text !== "string") return false;
  return isSafeAddress(text.split("?", 1)[0]) && !/[#\s]/.test(text);
}

/** Describes an invalid address without repeating it, because it may contain a secret. */
export function describeAddress(value: unknown): string {
  if (typeof value !== "string") return value === undefined ? "undefined" : `a value of type ${typeof value}`;
  const url = toUrl(value);
  if (url === undefined) return "a string that is not a URL";
  if (url.username !== "" || url.password !== "") return "a URL with credentials";
  if (url.protocol === "http:" && !isLoopbackHttp(value)) return "an http URL";
  if (value.includes("?")) return "a URL with a query";
  if (value.includes("#")) return "a URL with a fragment";
  return url.protocol === "https:" ? "a URL with spaces" : "a URL with an unsupported scheme";
}

function toUrl(text: string): URL | undefined {
  return isUrl(text) ? new URL(text) : undefined;
}
