/**
 * @fileoverview Opaque IDs for the owners of sessions, so that a store can count sessions.
 * @module session/shared/owner-ids
 */
import { fromBase64Url } from "@tenon/internal/base64";
import { OwnerIds } from "@tenon/internal/security/owner-ids";
import type { ClusterNode } from "./cluster-node.js";

/** Creates the IDs of owners. Their key is among the values of the store. */
export function createOwnerIds({ ports, sealer, server, store }: ClusterNode): OwnerIds {
  const name = `session-owners/${server}`;
  return new OwnerIds({
    ports,
    sealer,
    name,
    toKey: fromBase64Url,
    async exchange(value, unreadable) {
      const entry = await store.values.get(name);
      if (entry !== undefined && entry.value !== unreadable) return entry.value;
      return (await store.values.compareAndSet(name, entry?.version ?? null, { value })) ? value : undefined;
    },
  });
}
