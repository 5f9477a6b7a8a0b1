/**
 * @fileoverview Whose request it is: the address of the socket, or what trusted proxies say of it, read from the right.
 * @module app/limits/client-address
 */
import { BlockList, isIP } from "node:net";

/** Tells proxies that may speak for others. */
export interface ProxyTrust {
  /** Whether an address is that of a trusted proxy. */
  trusts(address: string): boolean;
}

/** The header in which proxies say whom they speak for. */
export type ForwardedHeader = "x-forwarded-for" | "forwarded";

/** Most characters of a header that are read, from its right end, where the nearest proxy wrote. */
const MAX_HEADER = 2_048;

/** Most proxies in a row. */
const MAX_HOPS = 32;

/**
 * Reads a list of proxies: addresses, networks as `10.0.0.0/8`, and `loopback`.
 *
 * @throws naming the entry that is none of these
 */
export function parseProxies(proxies: readonly string[]): ProxyTrust {
  const list = new BlockList();
  for (const proxy of proxies) addProxy(list, proxy);
  return {
    trusts: (address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"),
  };
}

/**
 * The client's address. Each trusted proxy names the one before it; the first that is not trusted is the client. What
 * stands further left is the client's own claim, and is not read. A malformed entry ends the search at the proxy that
 * wrote it.
 *
 * @returns nothing where the socket has no address
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
    // An entry that reaches beyond what is read is not known in full.
    if (comma < start && start > 0) break;
    const entry = header.slice(comma + 1, end).trim();
    const named = toAddress(trust.header === "forwarded" ? forwardedFor(entry) : entry);
    if (named === undefined) break;
    address = named;
    end = comma;
  }
  return address;
}

/** Returns what a client is counted by: its IPv4 address, or the /64 network of its IPv6 address. */
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
  // A network of all addresses would let every client write his own.
  else if (version !== 0 && more.length === 0 && bits >= 1 && bits <= (version === 6 ? 128 : 32)) {
    list.addSubnet(text, bits, family);
  } else throw new Error('a trusted proxy is an address, a network such as 10.0.0.0/8, or "loopback"');
}

/** An address without port, brackets and zone, an IPv4 address in IPv6 as IPv4; nothing for what is none. */
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

/** The address that an element of a `Forwarded` header names; empty where it hides it. */
function forwardedFor(element: string): string {
  const pair = element.split(";").find((one) => /^\s*for\s*=/i.test(one)) ?? "";
  return pair
    .slice(pair.indexOf("=") + 1)
    .trim()
    .replace(/^"(.*)"$/, "$1");
}

/** The eight groups of an IPv6 address, which was checked. */
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
