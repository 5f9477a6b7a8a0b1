/**
 * @fileoverview Gives out access tokens: from the store while they are valid, refreshed when they are about to expire,
 * and through a login in the browser as the last resort.
 * @module oauth/loopback-adapter
 */
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { type AccountBook, createAccountBook, toAccountId } from "./account-book.js";
import type { Account } from "./account-records.js";
import type { OAuthFactoryConfig } from "./providers/config.js";
import { createLogins, type Logins } from "./login/logins.js";
import type { OAuthClient } from "./login/oauth-client.js";
import type { OAuthProvider } from "./providers/provider.js";
import { createTokenRefresher, isFresh } from "./token-refresher.js";
import { accountKey, type CachedToken } from "./tokens/token-store.js";

/** Source of access tokens and of the email that they belong to. */
export interface AuthAdapter {
  /**
   * Returns a token that is valid for at least a minute, of the named account or of the active one.
   * @throws AuthRequiredError if the user must sign in and no browser can be opened
   */
  readonly getAccessToken: (accountId?: string) => Promise<string>;
  /** Returns the email of the named account or of the active one. @throws like `getAccessToken` */
  readonly getUserEmail: (accountId?: string) => Promise<string>;
}

/** The accounts that an adapter has tokens for. */
export interface Accounts {
  readonly list: () => Promise<readonly Account[]>;
  /** Finds the named account or the active one, without asking anybody to sign in. */
  readonly find: (accountId?: string) => Promise<Account | undefined>;
  /** Asks the user to sign in to another account, which becomes the active one. */
  readonly add: (accountId?: string) => Promise<Account>;
  /** Makes a linked account the active one. */
  readonly activate: (accountId: string) => Promise<Account>;
  /** Removes an account and its tokens from the store. Only the user can revoke the grant at the provider. */
  readonly remove: (accountId: string) => Promise<Account>;
}

/** An adapter that signs in through a browser on this machine (RFC 8252). */
export interface LoopbackAdapter extends AuthAdapter {
  readonly accounts: Accounts;
  /** Marks the token as rejected by the API: the next call gets another one. */
  readonly invalidate: (accountId?: string) => Promise<void>;
  /** Cancels the logins in flight. Tokens stay in the store. */
  readonly close: () => void;
}

/** Parts that an adapter is made of. */
export interface LoopbackParts {
  readonly config: OAuthFactoryConfig;
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly ports: Ports;
  readonly openBrowser: (url: URL) => Promise<void>;
}

/** Creates an adapter. */
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
      if (failure === undefined) return logger.info(`Signed in to ${service}`);
      const reason = failure instanceof McpError ? failure.message : "it failed";
      logger.warn(`No sign-in to ${service}: ${reason}`);
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
      // The call may have joined a login that leaves the active account as it is.
      add: async (accountId) => book.activate((await signIn(accountId, true)).accountId),
      activate: book.activate,
      remove: book.remove,
    },
    close: logins.cancelAll,
  };
}

/** Asks the user to sign in, to the named account if there is one, and resolves with the linked account. */
type SignIn = (accountId: string | undefined, makeActive: boolean) => Promise<Account>;

function createSignIn(book: AccountBook, logins: Logins, service: string): SignIn {
  return async (accountId, makeActive) => {
    const wanted = accountId === undefined ? undefined : toAccountId(accountId);
    if (wanted !== undefined) accountKey(wanted, service, "token"); // throws for an id that no account can have
    const isFurther = (await book.list()).length > 0;
    const keep = async (email: string, token: CachedToken) => {
      if (wanted !== undefined && toAccountId(email) !== wanted) {
        throw new McpError(
          "UNAUTHORIZED",
          "The sign-in was to another account than the one that was asked for",
        );
      }
      await book.link(email, token, makeActive);
    };
    return required(await book.find(await logins.signIn({ hint: wanted, isFurther, keep })));
  };
}

/** Returns a record that was stored a moment ago, and is missing only if another caller removed it. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new McpError("NOT_FOUND", "The account was removed meanwhile");
  return value;
}
