/**
 * @fileoverview What a token store must offer (any Keyv does), what is kept in it under which key, and a store in memory.
 * @module oauth/token-store
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { createMemoryKeyValueStore } from "tenon/stores";

/** The tokens of one account, as they are kept. */
export interface CachedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Milliseconds since the epoch; without it the access token is taken to be good until it is invalidated. */
  readonly expiresAt?: number;
  /** The scopes that were granted, separated by spaces. */
  readonly scope?: string;
}

/**
 * The part of `Keyv<CachedToken>` that is used. Beside tokens it holds plain JSON: which accounts are linked, and which
 * is active. Whatever comes out of it is checked before it is used.
 */
export interface TokenStore {
  get(key: string): Promise<unknown>;
  /** @param ttlMs milliseconds until the value is gone */
  set(key: string, value: unknown, ttlMs?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** The key of one account's record: `{accountId}:{service}:{kind}`. @throws where a part has a colon or is empty */
export function accountKey(accountId: string, service: string, kind: "token" | "metadata"): string {
  return `${keyPart("accountId", accountId)}:${keyPart("service", service)}:${kind}`;
}

/** The key of one service's record: `{service}:{kind}`. @throws where a part has a colon or is empty */
export function serviceKey(service: string, kind: "active" | "linked"): string {
  return `${keyPart("service", service)}:${kind}`;
}

/** A colon would let one account's key be read as another's. */
function keyPart(name: string, text: string): string {
  if (text === "") throw new McpError("INVALID_INPUT", `${name} must not be empty`);
  if (text.includes(":")) throw new McpError("INVALID_INPUT", `${name} must not contain a colon`);
  return text;
}

/** The tokens in what a store gave, or `undefined` where they are not in it. */
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

/** Creates a store that ends with the process: every start asks the user to sign in again. */
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
