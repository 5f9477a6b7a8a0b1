/**
 * @fileoverview Stored records for a service's accounts: the linked IDs, the active ID, and each account's tokens and
 * metadata.
 * @module oauth/account-records
 */
import { isJsonObject } from "@tenon/internal/json";
import type { OAuthFactoryConfig } from "./providers/config.js";
import { accountKey, type CachedToken, readToken, serviceKey } from "./tokens/token-store.js";

/** Account that the user has signed in to. */
export interface Account {
  /** The account's email address in lowercase. */
  readonly accountId: string;
  /** Email address as the provider returned it. */
  readonly email: string;
  /** True if calls without an account ID use this account. */
  readonly isActive: boolean;
  /** Time of the last sign-in, as an ISO 8601 date. */
  readonly linkedAt?: string;
}

/** Reads and writes one service's records. Invalid values in the store count as missing. */
export interface AccountRecords {
  readonly readLinked: () => Promise<readonly string[]>;
  /** Replaces the list of linked IDs. An empty list is deleted. */
  readonly writeLinked: (ids: readonly string[]) => Promise<void>;
  readonly readActive: () => Promise<string | undefined>;
  /** Replaces the active ID. `undefined` deletes it. */
  readonly writeActive: (accountId: string | undefined) => Promise<void>;
  readonly readAccount: (accountId: string) => Promise<Account>;
  readonly writeMetadata: (accountId: string, metadata: AccountMetadata) => Promise<void>;
  readonly deleteMetadata: (accountId: string) => Promise<void>;
  readonly readToken: (accountId: string) => Promise<CachedToken | undefined>;
  readonly writeToken: (accountId: string, token: CachedToken) => Promise<void>;
  readonly deleteToken: (accountId: string) => Promise<void>;
}

/** Account data that is stored alongside its tokens. */
export interface AccountMetadata {
  readonly email: string;
  /** Time of the last sign-in, as an ISO 8601 date. */
  readonly linkedAt: string;
}

/** Creates the reader and writer for the service in the configuration. */
export function createAccountRecords(config: OAuthFactoryConfig): AccountRecords {
  const { tokenStore: store, service } = config;
  const linkedKey = serviceKey(service, "linked");
  const activeKey = serviceKey(service, "active");
  const tokenKey = (accountId: string) => accountKey(accountId, service, "token");
  const metadataKey = (accountId: string) => accountKey(accountId, service, "metadata");
  const replace = async (key: string, value: unknown): Promise<void> => {
    if (value === undefined) await store.delete(key);
    else await store.set(key, value);
  };

  const readActive = async (): Promise<string | undefined> => {
    const active = await store.get(activeKey);
    return typeof active === "string" ? active : undefined;
  };

  return {
    async readLinked() {
      const linked = await store.get(linkedKey);
      return Array.isArray(linked) ? linked.filter((id): id is string => typeof id === "string") : [];
    },
    writeLinked: (ids) => replace(linkedKey, ids.length === 0 ? undefined : ids),
    readActive,
    writeActive: (accountId) => replace(activeKey, accountId),
    async readAccount(accountId) {
      const metadata = await store.get(metadataKey(accountId));
      const { email, linkedAt } = isJsonObject(metadata) ? metadata : {};
      return {
        accountId,
        email: typeof email === "string" ? email : accountId,
        isActive: (await readActive()) === accountId,
        ...(typeof linkedAt === "string" ? { linkedAt } : {}),
      };
    },
    writeMetadata: (accountId, metadata) => replace(metadataKey(accountId), metadata),
    deleteMetadata: (accountId) => replace(metadataKey(accountId), undefined),
    readToken: async (accountId) => readToken(await store.get(tokenKey(accountId))),
    writeToken: (accountId, token) => replace(tokenKey(accountId), token),
    deleteToken: (accountId) => replace(tokenKey(accountId), undefined),
  };
}
