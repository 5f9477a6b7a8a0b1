/**
 * @fileoverview Reads a client's address from the header that trusted proxies write.
 * @module tenon/transport/http/limits/client-address
 */
import { clientNetworkOf } from "@tenon/internal/security/ip-address";

/** Address of all clients whose real address is unknown. They count as one client. */
export const UNKNOWN_ADDRESS = "unknown";

/** Maximum length of the header in characters. A longer one is not read. */
const MAX_HEADER = 2_048;

/**
 * Returns the client's address from `X-Forwarded-For`. Each proxy appends the address that connected to it, so the
 * client's address is as many entries from the right as there are trusted proxies. Entries further left are ignored,
 * because the client can forge them.
 *
 * @param trustedProxies number of proxies in front of the server, at least 1
 * @returns an IPv4 address, the /64 network of an IPv6 address, or `unknown` if the header is absent or malformed
 */
export function readClientAddress(header: string | null | undefined, trustedProxies: number): string {
  if (typeof header !== "string" || header.length > MAX_HEADER) return UNKNOWN_ADDRESS;
  const entries = header.split(",");
  return clientNetworkOf(entries.at(-trustedProxies)?.trim() ?? "") ?? UNKNOWN_ADDRESS;
}
