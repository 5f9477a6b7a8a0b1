/**
 * @fileoverview Decides which URLs and addresses an outgoing request may go to, so that a remote server cannot make
 * this one send requests to its own network (server-side request forgery).
 * @module internal/security/destination
 */
import { isUrl } from "./is-url.js";
import { showValue } from "../kind-of.js";
import { custom } from "../options/option-rows.js";
import { type AddressKind, addressKindOf } from "./ip-address.js";
import { isLoopbackHost } from "./loopback.js";

/** Hosts outside the public network that requests may go to: none, private addresses, or the listed host names. */
export type PrivateNetworks = boolean | readonly string[];

/** Destinations that are allowed. */
export interface DestinationRule {
  /** Kinds of addresses that every host may have. */
  readonly kinds: ReadonlySet<AddressKind>;
  /** Hosts that may also have a loopback or private address. */
  readonly hosts: ReadonlySet<string>;
  /** Port of the configured URL, which is allowed even if it is a system port. */
  readonly port: string;
}

/** Outcome of a check. A problem never repeats text from the URL, which can come from a remote server. */
export type DestinationCheck = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/**
 * Creates the rule for all requests that follow from one configured URL. They may go to public addresses. If the
 * configured host is visibly on this machine or in a private network, they may also go to such addresses.
 */
export function createDestinationRule(configured: string, allowed: PrivateNetworks = false): DestinationRule {
  const { hostname, port } = new URL(configured);
  const own = hostKindOf(hostname);
  const kinds: AddressKind[] = ["public"];
  if (own === "loopback" || own === "private") kinds.push(own);
  if (allowed === true) kinds.push("private");
  const hosts = typeof allowed === "boolean" ? [] : allowed.map((host) => toHost(host) ?? host);
  return { kinds: new Set(kinds), hosts: new Set(hosts), port };
}

/** Checks a URL before its host is resolved: the scheme, user name, port, and an address or a local name as host. */
export function checkUrl(url: string, rule: DestinationRule): DestinationCheck {
  if (!isUrl(url)) return problem("the URL is malformed");
  const { protocol, username, password, hostname, port } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return problem("the URL has an unsupported scheme");
  if (username !== "" || password !== "") return problem("the URL has a user name or password");
  // Without TLS, only this machine is safe, and only in a spelling that every resolver reads in the same way.
  if (protocol === "http:" && !isLoopbackHost(hostname))
    return problem("http is allowed only on loopback addresses. Use https");
  if (!isPortAllowed(port, rule)) return problem("the port is a system port other than 443");
  return checkKind(hostKindOf(hostname), hostname, rule);
}

/** Checks all addresses that a host resolves to. One forbidden address is enough to reject the host. */
export function checkAddresses(
  url: string,
  addresses: readonly string[],
  rule: DestinationRule,
): DestinationCheck {
  const { protocol, hostname } = new URL(url);
  if (addresses.length === 0) return problem("the host has no address");
  for (const address of addresses) {
    const kind = addressKindOf(address) ?? "reserved";
    if (protocol === "http:" && kind !== "loopback")
      return problem("http is allowed only on loopback addresses. Use https");
    const check = checkKind(kind, hostname, rule);
    if (!check.ok) return check;
  }
  return ALLOWED;
}

/** Returns true if a URL's host is an IP address, which is not resolved. */
export function isAddressHost(hostname: string): boolean {
  return addressKindOf(hostname) !== undefined;
}

/** Option that allows requests to hosts outside the public network. */
export const PRIVATE_NETWORKS = /* @__PURE__ */ custom<PrivateNetworks>({
  default: false,
  expected: "true, false, or an array of host names without a scheme and port",
  accepts: (value) => typeof value === "boolean" || (Array.isArray(value) && value.every(isHost)),
  got: (value) => showValue(Array.isArray(value) ? value.find((item) => !isHost(item)) : value),
});

function isHost(value: unknown): boolean {
  return typeof value === "string" && toHost(value) !== undefined;
}

/** Returns a host name or address in the form of `URL.hostname`, or `undefined` if the text is not only a host. */
function toHost(text: string): string | undefined {
  const isHost = !/[/?#@\\\s]/.test(text) && isUrl(`https://${text}`);
  if (!isHost) return undefined;
  const afterAddress = text.slice(text.lastIndexOf("]") + 1);
  return afterAddress.includes(":") ? undefined : withoutDots(new URL(`https://${text}`).hostname);
}

const ALLOWED: DestinationCheck = { ok: true };

function problem(text: string): DestinationCheck {
  return { ok: false, problem: text };
}

function checkKind(kind: AddressKind, hostname: string, rule: DestinationRule): DestinationCheck {
  if (rule.kinds.has(kind)) return ALLOWED;
  const isLocal = kind === "loopback" || kind === "private";
  if (isLocal && rule.hosts.has(withoutDots(hostname))) return ALLOWED;
  const article = kind === "unspecified" ? "an" : "a";
  const fix = isLocal ? ". If it is trusted, add its host name to `allowPrivateNetworks`" : "";
  return problem(`the host is ${article} ${kind} address${fix}`);
}

/** System ports belong to services that must not receive requests, such as mail servers. */
function isPortAllowed(port: string, rule: DestinationRule): boolean {
  return port === "" || Number(port) >= 1_024 || port === "443" || port === rule.port;
}

/** Suffixes of names that exist only in private networks (RFC 6762, RFC 8375, and the private-use domain of ICANN). */
const PRIVATE_NAME = /^[^.]+$|\.(?:local|internal|home\.arpa|localdomain|lan)$/;

/** Returns the kind of address that a host visibly has. Other names count as public until they are resolved. */
function hostKindOf(hostname: string): AddressKind {
  const name = withoutDots(hostname.toLowerCase());
  if (name === "localhost" || name.endsWith(".localhost")) return "loopback";
  return addressKindOf(name) ?? (PRIVATE_NAME.test(name) ? "private" : "public");
}

/** Removes the dots at the end of a name, which only say that the name is complete. */
function withoutDots(hostname: string): string {
  let end = hostname.length;
  while (hostname[end - 1] === ".") end -= 1;
  return hostname.slice(0, end);
}
