/**
 * @fileoverview Parses IP addresses and determines the kind of network that they belong to, after the special-purpose
 * address registries of IANA (RFC 6890).
 * @module internal/security/ip-address
 */

/**
 * Kind of network that an address belongs to. `private` also covers shared (RFC 6598), unique local, and benchmark
 * addresses. `cloud-metadata` covers addresses at which a cloud provider gives credentials to its machines.
 */
export type AddressKind =
  | "public"
  | "loopback"
  | "private"
  | "link-local"
  | "cloud-metadata"
  | "unspecified"
  | "multicast"
  | "broadcast"
  | "reserved";

/**
 * Returns an IP address's kind. An IPv6 address that contains an IPv4 address has at most the rights of that address.
 * Accepts IPv6 addresses with brackets and with a zone. Returns `undefined` if the text is not an IP address.
 */
export function addressKindOf(text: string): AddressKind | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const ipv4 = parseIpv4(text);
  if (ipv4 !== undefined) return ipv4Kind(ipv4);
  const groups = parseIpv6(text.replace(/^\[(.*)\]$/, "$1"));
  return groups === undefined ? undefined : ipv6Kind(groups);
}

/**
 * Returns the network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because a
 * client usually has that many addresses. Accepts brackets and a port. Returns `undefined` if the text is not an address.
 */
export function clientNetworkOf(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  if (dotted !== undefined) return parseIpv4(dotted) === undefined ? undefined : dotted;
  const groups = parseIpv6(bracketed ?? text);
  if (groups === undefined) return undefined;
  const [a, b, c, d, e, f, g, h] = groups;
  const isMapped = a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xffff;
  if (isMapped) return [g >> 8, g & 255, h >> 8, h & 255].join(".");
  return `${[a, b, c, d].map((group) => group.toString(16)).join(":")}::/64`;
}

/** Maximum number of characters, more than an IPv6 address with a zone has. */
const MAX_LENGTH = 128;

/** IPv4 networks that are not public: address, prefix length, kind. The first match counts. */
const IPV4_NETWORKS: readonly (readonly [address: number, bits: number, kind: AddressKind])[] = [
  [0xa9fea9fe, 32, "cloud-metadata"], // 169.254.169.254: AWS, Azure, Google Cloud, and others
  [0x646464c8, 32, "cloud-metadata"], // 100.100.100.200: Alibaba Cloud
  [0xa83f8110, 32, "cloud-metadata"], // 168.63.129.16: Azure
  [0xc00000c0, 32, "cloud-metadata"], // 192.0.0.192: Oracle Cloud
  [0xffffffff, 32, "broadcast"],
  [0x00000000, 8, "unspecified"],
  [0x0a000000, 8, "private"],
  [0x64400000, 10, "private"], // 100.64.0.0: carrier-grade NAT
  [0x7f000000, 8, "loopback"],
  [0xa9fe0000, 16, "link-local"],
  [0xac100000, 12, "private"], // 172.16.0.0
  [0xc0000000, 24, "reserved"], // 192.0.0.0: protocol assignments
  [0xc0000200, 24, "reserved"], // 192.0.2.0: documentation
  [0xc0586300, 24, "reserved"], // 192.88.99.0: 6to4 relays
  [0xc0a80000, 16, "private"], // 192.168.0.0
  [0xc6120000, 15, "private"], // 198.18.0.0: benchmarks
  [0xc6336400, 24, "reserved"], // 198.51.100.0: documentation
  [0xcb007100, 24, "reserved"], // 203.0.113.0: documentation
  [0xe0000000, 4, "multicast"],
  [0xf0000000, 4, "reserved"],
];

function ipv4Kind(address: number): AddressKind {
  const network = IPV4_NETWORKS.find(
    ([base, bits]) => address >>> (32 - bits) === base >>> (32 - bits), // unsigned comparison of the prefixes
  );
  return network === undefined ? "public" : network[2];
}

/** Parses an IPv4 address in its only unambiguous form: four decimal numbers without leading zeros. */
function parseIpv4(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(text)) return undefined;
  const parts = text.split(".").map(Number);
  return parts.some((part) => part > 255) ? undefined : parts.reduce((sum, part) => sum * 256 + part, 0);
}

type Groups = readonly [number, number, number, number, number, number, number, number];

/** Parses an IPv6 address to its eight groups. Ignores the zone, which only selects a network interface. */
function parseIpv6(text: string): Groups | undefined {
  const [address = ""] = text.split("%", 1);
  const halves = withoutDots(address)?.split("::") ?? [];
  const [head = "", tail] = halves;
  const left = parseGroups(head);
  const right = parseGroups(tail ?? "");
  if (halves.length === 0 || halves.length > 2 || left === undefined || right === undefined) return undefined;
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => 0), ...right];
  return groups as unknown as Groups; // Safe: the lengths add up to eight
}

/** Replaces an IPv4 address at the end by two groups. Returns `undefined` if it is malformed. */
function withoutDots(address: string): string | undefined {
  if (!address.includes(".")) return address;
  const start = address.lastIndexOf(":") + 1;
  const ipv4 = start === 0 ? undefined : parseIpv4(address.slice(start));
  if (ipv4 === undefined) return undefined;
  return `${address.slice(0, start)}${(ipv4 >>> 16).toString(16)}:${(ipv4 & 0xffff).toString(16)}`;
}

function parseGroups(text: string): readonly number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}

function ipv6Kind(groups: Groups): AddressKind {
  const [a, b] = groups;
  const fixed = embeddedKind(groups);
  if (fixed !== undefined) return fixed;
  if (isMetadata(groups)) return "cloud-metadata";
  if ((a & 0xfe00) === 0xfc00 || (a & 0xffc0) === 0xfec0) return "private"; // unique local and site-local
  if ((a & 0xffc0) === 0xfe80) return "link-local";
  if ((a & 0xff00) === 0xff00) return "multicast";
  const isProtocol = a === 0x2001 && b < 0x200; // 2001::/23: protocol assignments
  const isDocumentation = (a === 0x2001 && b === 0xdb8) || (a === 0x3fff && b < 0x1000);
  if (isProtocol || isDocumentation) return "reserved";
  // Only 2000::/3 is assigned to public addresses.
  return (a & 0xe000) === 0x2000 ? "public" : "reserved";
}

/** Returns the kind of an address that contains an IPv4 address, and of `::` and `::1`. */
function embeddedKind([a, b, c, d, e, f, g, h]: Groups): AddressKind | undefined {
  const low = ipv4Kind(g * 0x10000 + h);
  const isHeadZero = a === 0 && b === 0 && c === 0 && d === 0;
  if (isHeadZero && e === 0 && f === 0) {
    if (g === 0 && h < 2) return h === 0 ? "unspecified" : "loopback";
    return notPublic(low); // ::/96: IPv4-compatible, no longer used
  }
  if (isHeadZero && e === 0 && f === 0xffff) return low; // IPv4-mapped
  if (isHeadZero && e === 0xffff && f === 0) return notPublic(low); // IPv4-translated
  const isNat64 = a === 0x64 && b === 0xff9b;
  if (isNat64) return c === 0 && d === 0 && e === 0 && f === 0 ? low : "reserved";
  if (a === 0x2002) return notPublic(ipv4Kind(b * 0x10000 + c)); // 6to4
  if (a === 0x2001 && b === 0) return notPublic(ipv4Kind(~(g * 0x10000 + h) >>> 0)); // Teredo inverts the address
  const isIsatap = (e & 0xfdff) === 0 && f === 0x5efe;
  return isIsatap && low !== "public" ? low : undefined;
}

/** Tunnels end on an unknown machine, so an address behind one is never public. */
function notPublic(kind: AddressKind): AddressKind {
  return kind === "public" ? "reserved" : kind;
}

/** Returns true for fd00:ec2::254 (AWS) and fd20:ce::254 (Google Cloud). */
function isMetadata([a, b, ...rest]: Groups): boolean {
  const isProvider = (a === 0xfd00 && b === 0xec2) || (a === 0xfd20 && b === 0xce);
  return isProvider && rest.every((group, index) => group === (index === 5 ? 0x254 : 0));
}
