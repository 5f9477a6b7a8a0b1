/**
 * @fileoverview Provides access tokens: from the store while they are valid, through a refresh shortly before they
 * expire, or through a login in the browser.
 * @module oauth/loopback-adapter
 */
import type { Ports } from "@tenon/internal/ports";
import { quoted } from "@tenon/internal/text";
import { McpError } from "tenon/protocol";
import { type AccountBook, createAccountBook, toAccountId } from "./account-book.js";
import type { Account } from "./account-records.js";
import type { OAuthFactoryConfig } from "./providers/config.js";
import { createLogins, type Logins } from "./login/logins.js";
import type { OAuthClient } from "./login/oauth-client.js";
import type { OAuthProvider } from "./providers/provider.js";
import { createTokenRefresher, isFresh } from "./token-refresher.js";
import { accountKey, type CachedToken } from "./tokens/token-store.js";

/** Source of access tokens and the account's email address. */
export interface AuthAdapter {
  /**
   * Returns an access token for the given or active account, valid for at least one more minute if possible.
   * @throws {AuthRequiredError} if the user must sign in and no browser can be opened
   */
  readonly getAccessToken: (accountId?: string) => Promise<string>;
  /** Returns the given or active account's email address. @throws like `getAccessToken` */
  readonly getUserEmail: (accountId?: string) => Promise<string>;
}

/** Accounts that the user has signed in to. */
export interface Accounts {
  /** Lists the linked accounts in the order in which they were linked. */
  readonly list: () => Promise<readonly Account[]>;
  /** Finds the given or active account. Never starts a login. */
  readonly find: (accountId?: string) => Promise<Account | undefined>;
  /** Asks the user to sign in to an account, and makes it the active one. */
  readonly add: (accountId?: string) => Promise<Account>;
  /** Makes a linked account the active one. */
  readonly activate: (accountId: string) => Promise<Account>;
  /** Deletes an account and its tokens from the store. The provider's grant stays valid until the user revokes it. */
  readonly remove: (accountId: string) => Promise<Account>;
}

/** Adapter that signs in through a browser on this machine (RFC 8252). */
export interface LoopbackAdapter extends AuthAdapter {
  /** Lists and changes the linked accounts. */
  readonly accounts: Accounts;
  /** Marks the token as expired, for example after the API rejected it. The next call refreshes it. */
  readonly invalidate: (accountId?: string) => Promise<void>;
  /** Cancels the logins in flight. Tokens stay in the store. */
  readonly close: () => void;
}

/** Dependencies of `createLoopbackAdapter`. */
export interface LoopbackParts {
  readonly config: OAuthFactoryConfig;
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly ports: Ports;
  readonly openBrowser: (url: URL) => Promise<void>;
}

/** Creates an adapter. It contacts the provider only when a token is requested. */
export function createLoopbackAdapter(parts: LoopbackParts): LoopbackAdapter {
  const { config, provider, client, ports, openBrowser } = parts;
  const { logger, service, headless } = config;
  const book = createAccountBook(config, ports);
  const refresh = createTokenRefresher({ book, client, ports, logger, service, providerName: provider.name });
  const logins = createLogins({
    client,
    provider,
    ports,
    headless,
    openBrowser,
    onEnd(failure) {
      if (failure === undefined) return logger.info(`Signed in to ${service}.`);
      const reason = failure instanceof McpError ? failure.message : "Unexpected error.";
      logger.warn(`Sign-in to ${service} did not complete. ${reason}`);
    },
  });
  const signIn = createSignIn(book, logins, service);

  const readAccessToken = async ({ accountId }: Account): Promise<string> => {
    const token = await book.token(accountId);
    if (token !== undefined && isFresh(token, ports.now())) return token.accessToken;
    const refreshed = token === undefined ? undefined : await refresh(accountId, token);
    if (refreshed !== undefined) return refreshed.accessToken;
    await signIn(accountId, false);
    return required(await book.token(accountId)).accessToken;
  };

  return {
    async getAccessToken(accountId) {
      return readAccessToken((await book.find(accountId)) ?? (await signIn(undefined, true)));
    },
    async getUserEmail(accountId) {
      return ((await book.find(accountId)) ?? (await signIn(undefined, true))).email;
    },
    async invalidate(accountId) {
      const account = await book.find(accountId);
      const token = account === undefined ? undefined : await book.token(account.accountId);
      if (account !== undefined && token !== undefined) {
        await book.replace(account.accountId, { ...token, expiresAt: 0 });
      }
    },
    accounts: {
      list: book.list,
      find: book.find,
      // A login that a different call started may not change the active account, so it is changed here.
      add: async (accountId) => book.activate((await signIn(accountId, true)).accountId),
      activate: book.activate,
      remove: book.remove,
    },
    close: logins.cancelAll,
  };
}

/** Asks the user to sign in, to a specific account if one is given. Resolves with the linked account. */
type SignIn = (accountId: string | undefined, makeActive: boolean) => Promise<Account>;

function createSignIn(book: AccountBook, logins: Logins, service: string): SignIn {
  return async (accountId, makeActive) => {
    const wanted = accountId === undefined ? undefined : toAccountId(accountId);
    if (wanted !== undefined) accountKey(wanted, service, "token"); // throws if the ID is invalid
    const isFurther = (await book.list()).length > 0;
    const keep = async (email: string, token: CachedToken) => {
      if (wanted !== undefined && toAccountId(email) !== wanted) {
        throw new McpError(
          "UNAUTHORIZED",
          `The user signed in to a different account than the one requested. Sign in as ${quoted(wanted)}.`,
        );
      }
      await book.link(email, token, makeActive);
    };
    return required(await book.find(await logins.signIn({ hint: wanted, isFurther, keep })));
  };
}

/** Asserts that a record that was just stored still exists. It is missing only if a concurrent call removed it. */
function required<T>(value: T | undefined): T {
  if (value === undefined)
    throw new McpError("NOT_FOUND", "The account was removed during the call. Sign in again.");
  return value;
}
