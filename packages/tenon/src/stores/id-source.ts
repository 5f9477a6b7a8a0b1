/**
 * @fileoverview Ids that are unique across restarts: an id from an earlier run of the process is unknown and never
 * names another record.
 * @module stores/id-source
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";

/**
 * Creates an id generator. Its random part is drawn with the first id, because some runtimes have no randomness at
 * startup.
 */
export function createIdSource(ports: Pick<Ports, "randomBytes">): () => string {
  let prefix: string | undefined;
  let count = 0;
  return () => {
    prefix ??= toBase64Url(ports.randomBytes(9));
    return `${prefix}.${(count++).toString(36)}`;
  };
}
