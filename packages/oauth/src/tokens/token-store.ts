/**
 * @fileoverview The token store interface (any Keyv implements it), its keys, and a store in memory.
 * @module oauth/token-store
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { createMemoryKeyValueStore } from "tenon/stores";

/** Stored tokens of one account. */
export interface CachedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Expiry in milliseconds since the epoch. Without it, the token is used until it is invalidated. */
  readonly expiresAt?: number;
  /** Granted scopes, separated by spaces. */
  readonly scope?: string;
}

/**
 * The used part of `Keyv<CachedToken>`. Besides tokens it stores plain JSON: the linked accounts and the active one.
 * Values are validated when they are read.
 */
export interface TokenStore {
  get(key: string): Promise<unknown>;
  /** @param ttlMs milliseconds until the value expires */
  set(key: string, value: unknown, ttlMs?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** Returns the key of an account's record: `{accountId}:{service}:{kind}`. @throws if a part is empty or has a colon */
export function accountKey(accountId: string, service: string, kind: "token" | "metadata"): string {
  return `${keyPart("accountId", accountId)}:${keyPart("service", service)}:${kind}`;
}

/** Returns the key of a service's record: `{service}:{kind}`. @throws if a part is empty or has a colon */
export function serviceKey(service: string, kind: "active" | "linked"): string {
  return `${keyPart("service", service)}:${kind}`;
}

/** Asserts that a part of a key has no colon, which would let one account's key equal another's. */
function keyPart(name: string, text: string): string {
  if (text === "") throw new McpError("INVALID_INPUT", `\`${name}\` must not be empty.`);
  if (text.includes(":")) throw new McpError("INVALID_INPUT", `\`${name}\` must not contain a colon.`);
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

/** Creates a store in memory. Its tokens are lost when the process ends, so the user must sign in after every start. */
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
  };
}
