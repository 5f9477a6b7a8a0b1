/**
 * @fileoverview Checks that Redis accepts writes. A replica or a full Redis responds to PING, but stores nothing.
 * @module redis/connection/check-writes
 */
import { Cluster } from "ioredis";
import type { Link } from "./link.js";

/** Resolves if Redis, and each primary of a Redis Cluster, accepts writes. @throws otherwise */
export async function checkWrites(link: Link, key: string): Promise<void> {
  await link.run(
    (client) => {
      const primaries = client instanceof Cluster ? client.nodes("master") : [];
      const checks = primaries.map((primary) => primary.eval(ACCEPTS_WRITES, 0));
      return Promise.all([client.set(key, "1", "PX", KEY_MS), ...checks]);
    },
    { repeatable: true },
  );
}

/**
 * Redis rejects this script before it starts if it could not write: on a replica, or if its memory or disk is full. It
 * needs no key, whose slot would be on one of the primaries only.
 */
const ACCEPTS_WRITES = "#!lua\nreturn 1";

/** Lifetime of the key in milliseconds. */
const KEY_MS = 60_000;
