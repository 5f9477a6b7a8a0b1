/**
 * @fileoverview Generates IDs that are unique across restarts. An ID from an earlier run is unknown and never matches a
 * different record.
 * @module tenon/stores/id-source
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";

/**
 * Creates an ID generator. Its random prefix is created with the first ID, because some runtimes do not allow
 * randomness at startup.
 */
export function createIdSource(ports: Pick<Ports, "randomBytes">): () => string {
  let prefix: string | undefined;
  let count = 0;
  return () => {
    prefix ??= toBase64Url(ports.randomBytes(9));
    return `${prefix}.${(count++).toString(36)}`;
  };
}
