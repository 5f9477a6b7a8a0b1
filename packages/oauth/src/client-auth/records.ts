/**
 * @fileoverview Stored records: the token for each MCP endpoint, and the registration with each authorization server.
 * @module oauth/client-auth/records
 */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type CachedToken, readToken, type TokenStore } from "../tokens/token-store.js";
import { ClientAuthError } from "./errors.js";

/** Credentials of a client that registered itself. */
export interface Registration {
  /** Issuer identifier of the only authorization server that may receive the credentials. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Time in milliseconds since the epoch at which the secret expires. */
  readonly secretExpiresAt?: number;
  /** Authentication method at the token endpoint. */
  readonly method: string;
  /** Redirect URI that was registered. */
  readonly redirectUri: string;
}

/** Token for one MCP endpoint. */
export interface TokenRecord extends CachedToken {
  /** URL of the only MCP endpoint that may receive the token. */
  readonly url: string;
  /** Value of the `resource` parameter for which the token was issued. */
  readonly resource: string;
  /** URL of the resource metadata, if the server announced it. */
  readonly metadataUrl?: string;
  /** Issuer identifier of the authorization server. */
  readonly issuer: string;
  /** True if the MCP server is its own authorization server. */
  readonly isLegacy: boolean;
  readonly clientId: string;
  /** Registration of the client, if it registered itself. The refresh token belongs to it. */
  readonly registration?: Registration;
  /** Requested scopes. Empty if the parameter was omitted. */
  readonly requested: readonly string[];
  /** Time in milliseconds since the epoch at which the token was requested. */
  readonly issuedAt: number;
  /** Time of the last sign-in, in milliseconds since the epoch. */
  readonly signedInAt: number;
}

/** Reads and writes the records of one store. Invalid values in the store count as missing. */
export interface Records {
  readToken(url: string): Promise<TokenRecord | undefined>;
  /** @throws {ClientAuthError} without the token if the store fails */
  writeToken(record: TokenRecord): Promise<void>;
  deleteToken(url: string): Promise<void>;
  readRegistration(issuer: string): Promise<Registration | undefined>;
  /** @throws {ClientAuthError} without the secret if the store fails */
  writeRegistration(registration: Registration): Promise<void>;
  deleteRegistration(issuer: string): Promise<void>;
}

/** Creates the reader and writer for a store. */
export function createRecords(store: TokenStore): Records {
  const write = async (key: string, value: object): Promise<void> => {
    try {
      await store.set(key, value);
    } catch {
      // Ignore the cause: the message of a store's error can contain the value.
      throw new ClientAuthError(
        "store_failed",
        "The tokens could not be stored. Check `store` and try again.",
      );
    }
  };
  return {
    async readToken(url) {
      const record = toTokenRecord(await store.get(tokenKey(url)));
      return record?.url === url ? record : undefined;
    },
    writeToken: (record) => write(tokenKey(record.url), record),
    deleteToken: async (url) => void (await store.delete(tokenKey(url))),
    async readRegistration(issuer) {
      const registration = toRegistration(await store.get(registrationKey(issuer)));
      return registration?.issuer === issuer ? registration : undefined;
    },
    writeRegistration: (registration) => write(registrationKey(registration.issuer), registration),
    deleteRegistration: async (issuer) => void (await store.delete(registrationKey(issuer))),
  };
}

/** Returns the store key for the token of an endpoint. */
export function tokenKey(url: string): string {
  return `mcp:token:${digestOf(url)}`;
}

/** Returns the store key for the registration with an issuer. */
export function registrationKey(issuer: string): string {
  return `mcp:client:${digestOf(issuer)}`;
}

/** Shortens a URL, because stores limit the length of keys. */
function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function toTokenRecord(value: unknown): TokenRecord | undefined {
  const token = readToken(value);
  if (token === undefined || !isJsonObject(value)) return undefined;
  const { isLegacy, requested, issuedAt, signedInAt, metadataUrl } = value;
  const names = readTexts(value, ["url", "resource", "issuer", "clientId"]);
  if (names === undefined || typeof issuedAt !== "number" || typeof signedInAt !== "number") return undefined;
  const registration = toRegistration(value["registration"]);
  return {
    ...token,
    ...names,
    ...(typeof metadataUrl === "string" ? { metadataUrl } : {}),
    isLegacy: isLegacy === true,
    ...(registration === undefined ? {} : { registration }),
    requested: Array.isArray(requested)
      ? requested.filter((scope): scope is string => typeof scope === "string")
      : [],
    issuedAt,
    signedInAt,
  };
}

function toRegistration(value: unknown): Registration | undefined {
  if (!isJsonObject(value)) return undefined;
  const { clientSecret, secretExpiresAt } = value;
  const names = readTexts(value, ["issuer", "clientId", "method", "redirectUri"]);
  if (names === undefined) return undefined;
  return {
    ...names,
    ...(typeof clientSecret === "string" ? { clientSecret } : {}),
    ...(typeof secretExpiresAt === "number" ? { secretExpiresAt } : {}),
  };
}

/** Reads members that must be text. Returns `undefined` if one of them is not. */
function readTexts<Name extends string>(
  value: JsonObject,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const found = names.map((name) => [name, value[name]] as const);
  if (!found.every(([, text]) => typeof text === "string")) return undefined;
  return Object.fromEntries(found) as Record<Name, string>; // Safe: all names are present, and all values are text
}
