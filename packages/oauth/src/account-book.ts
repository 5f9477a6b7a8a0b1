/**
 * @fileoverview Which accounts are linked, which one is active, and their tokens. Changes are made one after the other,
 * so that an account removed meanwhile does not come back.
 * @module oauth/account-book
 */
import { isJsonObject } from "@tenon/internal/json";
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import type { OAuthFactoryConfig } from "./providers/config.js";
import { createMutex } from "./tokens/mutex.js";
import { accountKey, type CachedToken, readToken, serviceKey } from "./tokens/token-store.js";

/** An account that was signed in to. */
export interface Account {
  /** Its email in lower case. */
  readonly accountId: string;
  readonly email: string;
  /** Whether calls that name no account use it. */
  readonly isActive: boolean;
  /** When it was signed in to last, as an ISO 8601 date. */
  readonly linkedAt?: string;
}

/** The accounts of one service. */
export interface AccountBook {
  readonly list: () => Promise<readonly Account[]>;
  /** The account that is named, or the active one. @throws NOT_FOUND where it is named and not linked */
  readonly find: (accountId?: string) => Promise<Account | undefined>;
  readonly token: (accountId: string) => Promise<CachedToken | undefined>;
  /** Links an account or signs it in again; it becomes active if it is told to or if none is. */
  readonly link: (email: string, token: CachedToken, makeActive: boolean) => Promise<Account>;
  /** Replaces the tokens of an account, where it is still linked. */
  readonly replace: (accountId: string, token: CachedToken) => Promise<void>;
  /** Forgets the tokens of an account, where they are still these. */
  readonly forget: (accountId: string, token: CachedToken) => Promise<void>;
  /** @throws NOT_FOUND where it is not linked */
  readonly activate: (accountId: string) => Promise<Account>;
  /** Removes an account and its tokens; the first of the others becomes active. @throws NOT_FOUND */
  readonly remove: (accountId: string) => Promise<Account>;
}

/** Stops a store from being filled by one login after the other. */
const MAX_ACCOUNTS = 100;

/** Opens the book of one service. */
export function createAccountBook(config: OAuthFactoryConfig, ports: Ports): AccountBook {
  const { tokenStore: store, service } = config;
  const linkedKey = serviceKey(service, "linked");
  const activeKey = serviceKey(service, "active");
  const exclusive = createMutex();

  const readLinked = async (): Promise<readonly string[]> => {
    const linked = await store.get(linkedKey);
    return Array.isArray(linked) ? linked.filter((id): id is string => typeof id === "string") : [];
  };
  const readAccount = async (accountId: string): Promise<Account> => {
    const metadata = await store.get(accountKey(accountId, service, "metadata"));
    const { email, linkedAt } = isJsonObject(metadata) ? metadata : {};
    return {
      accountId,
      email: typeof email === "string" ? email : accountId,
      isActive: (await store.get(activeKey)) === accountId,
      ...(typeof linkedAt === "string" ? { linkedAt } : {}),
    };
  };
  const tokenOf = async (accountId: string) =>
    readToken(await store.get(accountKey(accountId, service, "token")));
  const findLinked = async (accountId: string): Promise<string> => {
    const id = toAccountId(accountId);
    accountKey(id, service, "token"); // says what is wrong with an id that none can have
    if ((await readLinked()).includes(id)) return id;
    throw new McpError("NOT_FOUND", "No such account is linked");
  };

  return {
    async list() {
      return Promise.all((await readLinked()).map(readAccount));
    },
    async find(accountId) {
      if (accountId !== undefined) return readAccount(await findLinked(accountId));
      const [active, linked] = [await store.get(activeKey), await readLinked()];
      return typeof active === "string" && linked.includes(active) ? readAccount(active) : undefined;
    },
    token: tokenOf,
    link: (email, token, makeActive) =>
      exclusive(async () => {
        const id = toAccountId(email);
        const linked = await readLinked();
        if (!linked.includes(id) && linked.length >= MAX_ACCOUNTS) {
          throw new McpError("CONFLICT", `At most ${MAX_ACCOUNTS} accounts can be linked`);
        }
        await store.set(accountKey(id, service, "token"), token);
        const linkedAt = new Date(ports.now()).toISOString();
        await store.set(accountKey(id, service, "metadata"), { email, linkedAt });
        if (!linked.includes(id)) await store.set(linkedKey, [...linked, id]);
        const active = await store.get(activeKey);
        if (makeActive || typeof active !== "string" || !linked.includes(active))
          await store.set(activeKey, id);
        return readAccount(id);
      }),
    replace: (accountId, token) =>
      exclusive(async () => {
        await findLinked(accountId);
        await store.set(accountKey(accountId, service, "token"), token);
      }),
    forget: (accountId, token) =>
      exclusive(async () => {
        const current = await tokenOf(accountId);
        if (current?.accessToken !== token.accessToken) return;
        await store.delete(accountKey(accountId, service, "token"));
      }),
    activate: (accountId) =>
      exclusive(async () => {
        const id = await findLinked(accountId);
        await store.set(activeKey, id);
        return readAccount(id);
      }),
    remove: (accountId) =>
      exclusive(async () => {
        const id = await findLinked(accountId);
        const account = await readAccount(id);
        await store.delete(accountKey(id, service, "token"));
        await store.delete(accountKey(id, service, "metadata"));
        const [first, ...others] = (await readLinked()).filter((one) => one !== id);
        if (first === undefined) await store.delete(linkedKey);
        else await store.set(linkedKey, [first, ...others]);
        if (account.isActive && first === undefined) await store.delete(activeKey);
        else if (account.isActive) await store.set(activeKey, first);
        return { ...account, isActive: false };
      }),
  };
}

/** Providers do not tell capitals apart in an email. */
export function toAccountId(email: string): string {
  return email.trim().toLowerCase();
}
