/**
 * @fileoverview Determines a client's address from its socket, or from the header that trusted proxies write.
 * @module app/limits/client-address
 */
import { BlockList, isIP } from "node:net";
import { printable } from "@tenon/internal/text";

/** Set of trusted proxies. */
export interface ProxyTrust {
  /** Returns true if an address belongs to a trusted proxy. */
  trusts(address: string): boolean;
}

/** Header in which proxies report the client's address. */
export type ForwardedHeader = "x-forwarded-for" | "forwarded";

/** Maximum number of header characters to read, from the right end, where the nearest proxy appends its entry. */
const MAX_HEADER = 2_048;

/** Maximum number of proxies to follow. */
const MAX_HOPS = 32;

/**
 * Parses a list of proxies: addresses, networks such as `10.0.0.0/8`, and `loopback`.
 *
 * @throws if an entry is none of these
 */
export function parseProxies(proxies: readonly string[]): ProxyTrust {
  const list = new BlockList();
  for (const proxy of proxies) addProxy(list, proxy);
  return {
    trusts: (address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"),
  };
}

/**
 * Returns the client's address. Each trusted proxy reports the hop before it, and the first untrusted hop is the
 * client. Entries further left are ignored, because the client can forge them. If an entry is malformed, the proxy
 * that wrote it counts as the client.
 *
 * @returns `undefined` if the socket has no address
 */
export function findClientAddress(
  socketAddress: string | undefined,
  header: string | null | undefined,
  trust: { readonly proxies: ProxyTrust; readonly header: ForwardedHeader } | undefined,
): string | undefined {
  let address = socketAddress === undefined ? undefined : toAddress(socketAddress);
  if (trust === undefined || address === undefined || typeof header !== "string") return address;
  let end = header.length;
  const start = Math.max(0, end - MAX_HEADER);
  for (let hop = 0; hop < MAX_HOPS && end > start && trust.proxies.trusts(address); hop++) {
    const comma = header.lastIndexOf(",", end - 1);
    // The read limit cuts off this entry.
    if (comma < start && start > 0) break;
    const entry = header.slice(comma + 1, end).trim();
    const named = toAddress(trust.header === "forwarded" ? forwardedFor(entry) : entry);
    if (named === undefined) break;
    address = named;
    end = comma;
  }
  return address;
}

/** Returns the unit to count for an address: the IPv4 address itself, or the /64 network of an IPv6 address. */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = expand(address).slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}

function addProxy(list: BlockList, proxy: string): void {
  if (proxy === "loopback") {
    list.addSubnet("127.0.0.0", 8, "ipv4");
    list.addAddress("::1", "ipv6");
    return;
  }
  const [text = "", length, ...more] = proxy.split("/");
  const version = isIP(text);
  const family = version === 6 ? "ipv6" : "ipv4";
  const bits = /^\d{1,3}$/.test(length ?? "") ? Number(length) : Number.NaN;
  if (version !== 0 && length === undefined) list.addAddress(text, family);
  // A `/0` network would trust every client to report its own address.
  else if (version !== 0 && more.length === 0 && bits >= 1 && bits <= (version === 6 ? 128 : 32)) {
    list.addSubnet(text, bits, family);
  } else {
    const expected = 'an IP address, a network such as "10.0.0.0/8", or "loopback"';
    throw new Error(`\`trustProxy\` entries must be ${expected}; got ${JSON.stringify(printable(proxy))}.`);
  }
}

/**
 * Normalizes an address: removes the port, brackets, and zone, and converts IPv4-mapped IPv6 to IPv4. Returns
 * `undefined` if the text is not an address.
 */
function toAddress(text: string): string | undefined {
  if (text.length > 80) return undefined;
  const [, bracketed, , plain] = /^(?:\[([^\]]*)\](:\d{1,5})?|([\d.]+)(?::\d{1,5})?)$/.exec(text) ?? [];
  const [address = ""] = (bracketed ?? plain ?? text).split("%", 1);
  const version = isIP(address);
  if (version === 0 || (bracketed !== undefined && version !== 6)) return undefined;
  if (version === 4) return address;
  const groups = expand(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return address.toLowerCase();
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** Returns the `for` value of a `Forwarded` element, or an empty string if the element does not have one. */
function forwardedFor(element: string): string {
  const pair = element.split(";").find((one) => /^\s*for\s*=/i.test(one)) ?? "";
  return pair
    .slice(pair.indexOf("=") + 1)
    .trim()
    .replace(/^"(.*)"$/, "$1");
}

/** Expands a valid IPv6 address to its eight groups. */
function expand(address: string): readonly number[] {
  const [, dotted] = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const text = dotted === undefined ? address : address.slice(0, -dotted.length) + toHex(dotted);
  const [head = "", tail] = text.split("::");
  const left = toGroups(head);
  const right = toGroups(tail ?? "");
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

function toGroups(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function toHex(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
