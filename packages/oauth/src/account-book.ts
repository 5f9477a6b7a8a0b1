/**
 * @fileoverview A service's linked accounts, the active account, and their tokens. Changes run one at a time, so that a
 * concurrent refresh cannot restore a removed account.
 * @module oauth/account-book
 */
import type { Ports } from "@tenon/internal/ports";
import { printable } from "@tenon/internal/text";
import { McpError } from "tenon/protocol";
import { type Account, type AccountRecords, createAccountRecords } from "./account-records.js";
import type { OAuthFactoryConfig } from "./providers/config.js";
import { createMutex } from "./tokens/mutex.js";
import { accountKey, type CachedToken } from "./tokens/token-store.js";

/** One service's linked accounts. */
export interface AccountBook {
  /** Lists the linked accounts in the order in which they were linked. */
  readonly list: () => Promise<readonly Account[]>;
  /** Finds the given account or, without an ID, the active one. @throws NOT_FOUND if the account is not linked */
  readonly find: (accountId?: string) => Promise<Account | undefined>;
  /** Reads an account's tokens. */
  readonly token: (accountId: string) => Promise<CachedToken | undefined>;
  /** Links an account or signs it in again. It becomes active if `makeActive` is true or no account is active. */
  readonly link: (email: string, token: CachedToken, makeActive: boolean) => Promise<Account>;
  /** Replaces an account's tokens. @throws NOT_FOUND if the account is no longer linked */
  readonly replace: (accountId: string, token: CachedToken) => Promise<void>;
  /** Deletes an account's tokens, unless they have been replaced in the meantime. */
  readonly forget: (accountId: string, token: CachedToken) => Promise<void>;
  /** Makes an account the active one. @throws NOT_FOUND if it is not linked */
  readonly activate: (accountId: string) => Promise<Account>;
  /**
   * Removes an account. If it was active, the first remaining one becomes active.
   *
   * @throws NOT_FOUND if the account is not linked
   */
  readonly remove: (accountId: string) => Promise<Account>;
}

/** Maximum number of accounts. Prevents repeated logins from filling the store. */
const MAX_ACCOUNTS = 100;

/** Creates the account book for the service in the configuration. */
export function createAccountBook(config: OAuthFactoryConfig, ports: Ports): AccountBook {
  const records = createAccountRecords(config);
  const runExclusive = createMutex();

  /**
   * Normalizes the ID of a linked account.
   *
   * @throws `NOT_FOUND` if the account is not linked
   * @throws `INVALID_INPUT` if the ID is invalid
   */
  const findLinked = async (accountId: string): Promise<string> => {
    const id = toAccountId(accountId);
    accountKey(id, config.service, "token"); // throws if the ID is invalid
    if ((await records.readLinked()).includes(id)) return id;
    throw new McpError("NOT_FOUND", `Account "${printable(id)}" is not linked. Sign in to it first.`);
  };

  return {
    async list() {
      return Promise.all((await records.readLinked()).map(records.readAccount));
    },
    async find(accountId) {
      if (accountId !== undefined) return records.readAccount(await findLinked(accountId));
      const [active, linked] = [await records.readActive(), await records.readLinked()];
      return active !== undefined && linked.includes(active) ? records.readAccount(active) : undefined;
    },
    token: records.readToken,
    link: (email, token, makeActive) =>
      runExclusive(() => {
        const linkedAt = new Date(ports.now()).toISOString();
        return linkAccount(records, { email, token, makeActive, linkedAt });
      }),
    replace: (accountId, token) =>
      runExclusive(async () => {
        await findLinked(accountId);
        await records.writeToken(accountId, token);
      }),
    forget: (accountId, token) =>
      runExclusive(async () => {
        const current = await records.readToken(accountId);
        if (current?.accessToken === token.accessToken) await records.deleteToken(accountId);
      }),
    activate: (accountId) =>
      runExclusive(async () => {
        const id = await findLinked(accountId);
        await records.writeActive(id);
        return records.readAccount(id);
      }),
    remove: (accountId) => runExclusive(async () => removeAccount(records, await findLinked(accountId))),
  };
}

/** Converts an email address to an account ID. IDs are in lowercase, because providers ignore case. */
export function toAccountId(email: string): string {
  return email.trim().toLowerCase();
}

interface NewLink {
  readonly email: string;
  readonly token: CachedToken;
  readonly makeActive: boolean;
  readonly linkedAt: string;
}

async function linkAccount(records: AccountRecords, link: NewLink): Promise<Account> {
  const { email, token, makeActive, linkedAt } = link;
  const id = toAccountId(email);
  const linked = await records.readLinked();
  if (!linked.includes(id) && linked.length >= MAX_ACCOUNTS) {
    throw new McpError("CONFLICT", `Too many linked accounts (limit: ${MAX_ACCOUNTS}). Remove one first.`);
  }
  await records.writeToken(id, token);
  await records.writeMetadata(id, { email, linkedAt });
  if (!linked.includes(id)) await records.writeLinked([...linked, id]);
  const active = await records.readActive();
  if (makeActive || active === undefined || !linked.includes(active)) await records.writeActive(id);
  return records.readAccount(id);
}

async function removeAccount(records: AccountRecords, id: string): Promise<Account> {
  const account = await records.readAccount(id);
  await records.deleteToken(id);
  await records.deleteMetadata(id);
  const others = (await records.readLinked()).filter((one) => one !== id);
  await records.writeLinked(others);
  if (account.isActive) await records.writeActive(others[0]);
  return { ...account, isActive: false };
}
