/**
 * @fileoverview Ids that no earlier run of the process has given out, so that one kept from before a restart is
 * unknown, and never another record's.
 * @module stores/id-source
 */
import { toBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";

/** Creates a source of ids. It draws its random part with the first one: some runtimes have no randomness before. */
export function createIdSource(ports: Pick<Ports, "randomBytes">): () => string {
  let prefix: string | undefined;
  let count = 0;
  return () => {
    prefix ??= toBase64Url(ports.randomBytes(9));
    return `${prefix}.${(count++).toString(36)}`;
  };
}
