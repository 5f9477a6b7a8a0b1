/**
 * @fileoverview Opaque IDs for owners, so that a store can count their sessions and values without knowing them.
 * @module tenon/stores/owner-ids
 */
import { fromBase64Url } from "@tenon/internal/base64";
import type { Ports } from "@tenon/internal/ports";
import { OwnerIds } from "@tenon/internal/security/owner-ids";
import type { RecordSealer } from "../core/wire/cluster-link.js";
import type { KeyValueStore } from "./ports.js";

/** Server whose owners get IDs, and the store with the key for them. */
export interface OwnerIdParts {
  readonly ports: Ports;
  readonly sealer: RecordSealer;
  /** Name of the server. */
  readonly server: string;
  readonly values: KeyValueStore;
}

/** Creates the IDs of owners. Their key is among the values of the store, encrypted. */
export function createOwnerIds({ ports, sealer, server, values }: OwnerIdParts): OwnerIds {
  const name = `session-owners/${server}`;
  return new OwnerIds({
    ports,
    sealer,
    name,
    toKey: fromBase64Url,
    async exchange(value, unreadable) {
      const entry = await values.get(name);
      if (entry !== undefined && entry.value !== unreadable) return entry.value;
      return (await values.compareAndSet(name, entry?.version ?? null, { value })) ? value : undefined;
    },
  });
}
