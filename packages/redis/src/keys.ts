/**
 * @fileoverview Names of keys and channels in Redis. Names from callers are hashed: they may contain any character, and
 * some of them, such as session IDs, are secrets that a copy of Redis must not contain.
 *
 * Every key has a hash tag (the part in braces), and all keys of one script have the same one, so that a Redis Cluster
 * stores them on the same node. The tag of a session is its shard, because a script also counts the shard's sessions.
 * Everything else is tagged with the hash of its own name.
 * @module redis/keys
 */
import { createHash } from "node:crypto";

/** Number of shards in a Redis Cluster. Fixed, because nodes with different numbers would not find their records. */
const SHARDS = 64;

/** Creates names of keys and channels. */
export interface KeyNames {
  /** Returns the key of a record, such as `tenon:value:{…}`. */
  toKey(kind: string, name: string): string;
  /** Returns the key for the IDs of a stream, on the same node as the key of the stream. */
  toPartKey(kind: string, name: string, part: string): string;
  /** Returns the keys for a record in a limited set of records. */
  toShardKeys(kind: string, name: string): ShardKeys;
  /** Returns the number of shards in a limited set of records. */
  readonly shards: number;
  /** Returns the hash of a name, in 32 characters. */
  hash(name: string): string;
}

/** Keys for a record in a limited set of records. */
export interface ShardKeys {
  /** Start of the keys with which the shard counts its records. */
  readonly index: string;
  /** Name of the record in the shard. The record's key is `recordPrefix` and this name. */
  readonly member: string;
  readonly recordPrefix: string;
}

/** Creates names that start with `prefix`. A single Redis needs only one shard, so its limits are exact. */
export function createKeyNames(prefix: string, isCluster: boolean): KeyNames {
  const shards = isCluster ? SHARDS : 1;
  return {
    shards,
    hash: (name) => hash(name).toString("base64url"),
    toKey: (kind, name) => `${prefix}:${kind}:{${hash(name).toString("base64url")}}`,
    toPartKey: (kind, name, part) => `${prefix}:${kind}:{${hash(name).toString("base64url")}}:${part}`,
    toShardKeys(kind, name) {
      const shard = shards === 1 ? 0 : hash(name.slice(0, OWNER_LENGTH)).readUInt16BE() % shards;
      const index = `${prefix}:${kind}:{${kind}-${shard}}`;
      return { index, member: hash(name).toString("base64url"), recordPrefix: `${index}:` };
    },
  };
}

/** Length of the start that all records of an owner share. Their shard depends only on it, so it counts all of them. */
const OWNER_LENGTH = 2;

/** Returns 192 bits of a hash. Names are hashed as UTF-16, because UTF-8 cannot represent lone surrogates. */
function hash(name: string): Buffer {
  return createHash("sha256").update(name, "utf16le").digest().subarray(0, 24);
}
