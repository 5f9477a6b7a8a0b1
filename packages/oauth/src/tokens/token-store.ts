/**
 * @fileoverview The token store interface, which every Keyv instance implements, its keys, and an in-memory store.
 * @module oauth/tokens/token-store
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import { printable } from "@tenon/internal/text";
import { McpError } from "tenon/protocol";
import { createMemoryKeyValueStore } from "tenon/stores";
import { createKeyedMutex } from "./keyed-mutex.js";

/** One account's stored tokens. */
export interface CachedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Expiry in milliseconds since the epoch. A token without it is used until it is invalidated. */
  readonly expiresAt?: number;
  /** Granted scopes, separated by spaces. */
  readonly scope?: string;
}

/**
 * Subset of `Keyv` that this package uses. In addition to tokens, it stores the linked accounts and the active one as
 * JSON. Values are validated when they are read.
 */
export interface TokenStore {
  get(key: string): Promise<unknown>;
  /** @param ttlMs milliseconds until the value expires */
  set(key: string, value: unknown, ttlMs?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /**
   * Runs a task after all earlier tasks with the same key, including those of other processes that use the store.
   * Without this method, tasks wait only for those of the same `createClientAuth`.
   *
   * @throws the signal's reason if it aborts before the task starts
   */
  lock?<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Returns an account's key, `{accountId}:{service}:{kind}`. @throws if a part is empty or contains a colon */
export function accountKey(accountId: string, service: string, kind: "token" | "metadata"): string {
  return `${keyPart("accountId", accountId)}:${keyPart("service", service)}:${kind}`;
}

/** Returns a service's key, `{service}:{kind}`. @throws if the service is empty or contains a colon */
export function serviceKey(service: string, kind: "active" | "linked"): string {
  return `${keyPart("service", service)}:${kind}`;
}

/** Asserts that a key part is not empty and contains no colon. A colon would let two accounts share a key. */
function keyPart(name: string, text: string): string {
  if (text === "") throw new McpError("INVALID_INPUT", `\`${name}\` must not be empty.`);
  if (text.includes(":")) {
    throw new McpError("INVALID_INPUT", `\`${name}\` must not contain a colon; got "${printable(text)}".`);
  }
  return text;
}

/** Parses stored tokens. Returns `undefined` if the value is not a token record. */
export function readToken(value: unknown): CachedToken | undefined {
  if (!isJsonObject(value)) return undefined;
  const { accessToken, refreshToken, expiresAt, scope } = value;
  if (typeof accessToken !== "string" || accessToken === "") return undefined;
  return {
    accessToken,
    ...(typeof refreshToken === "string" ? { refreshToken } : {}),
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
    ...(typeof scope === "string" ? { scope } : {}),
  };
}

/** Creates an in-memory store for up to 1000 keys. Users must sign in again after every restart. */
export function createMemoryTokenStore(ports: Ports = systemPorts): TokenStore {
  const entries = createMemoryKeyValueStore({ maxKeys: 1_000, ports });
  return {
    async get(key) {
      const entry = await entries.get(key);
      return entry === undefined ? undefined : readJson(entry.value);
    },
    async set(key, value, ttlMs) {
      await entries.set(key, JSON.stringify(value) ?? "null", ttlMs === undefined ? {} : { ttlMs });
      return true;
    },
    delete: (key) => entries.delete(key),
    lock: createKeyedMutex(),
  };
}
