/**
 * @fileoverview Access tokens for whoever asks: from the store while they are good, refreshed when they are not, and by
 * a login in the browser where nothing else helps.
 * @module oauth/loopback-adapter
 */
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { type Account, type AccountBook, createAccountBook, toAccountId } from "./account-book.js";
import type { OAuthFactoryConfig } from "./providers/config.js";
import { createLogins } from "./login/logins.js";
import type { OAuthClient } from "./login/oauth-client.js";
import type { OAuthProvider } from "./providers/provider.js";
import { accountKey, type CachedToken } from "./tokens/token-store.js";

/** Gives access tokens, and says whose they are. */
export interface AuthAdapter {
  /**
   * A token that is good for at least a minute, of the account that is named or of the active one.
   * @throws AuthRequiredError where the user must sign in and no browser can be opened
   */
  readonly getAccessToken: (accountId?: string) => Promise<string>;
  /** The email of the account that is named or of the active one. @throws like `getAccessToken` */
  readonly getUserEmail: (accountId?: string) => Promise<string>;
}

/** The accounts that an adapter has tokens for. */
export interface Accounts {
  readonly list: () => Promise<readonly Account[]>;
  /** The account that is named or active, without asking anybody to sign in. */
  readonly find: (accountId?: string) => Promise<Account | undefined>;
  /** Has the user sign in to a further account, which becomes the active one. */
  readonly add: (accountId?: string) => Promise<Account>;
  /** Makes a linked account the active one. */
  readonly activate: (accountId: string) => Promise<Account>;
  /** Removes an account and its tokens from the store. The grant at the provider is the user's to withdraw. */
  readonly remove: (accountId: string) => Promise<Account>;
}

/** An adapter that signs in by a browser on this machine (RFC 8252). */
export interface LoopbackAdapter extends AuthAdapter {
  readonly accounts: Accounts;
  /** Says that a token was refused where it was used: the next call gets another one. */
  readonly invalidate: (accountId?: string) => Promise<void>;
  /** Gives up the logins under way. Tokens stay in the store. */
  readonly close: () => void;
}

/** What an adapter is made of. */
export interface LoopbackParts {
  readonly config: OAuthFactoryConfig;
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly ports: Ports;
  readonly openBrowser: (url: URL) => Promise<void>;
}

/** A token that ends sooner is refreshed first, so that it does not end on its way. */
const BUFFER_MS = 60_000;

/** Creates an adapter. */
export function createLoopbackAdapter(parts: LoopbackParts): LoopbackAdapter {
  const { config, provider, client, ports, openBrowser } = parts;
  const { logger, service } = config;
  const book = createAccountBook(config, ports);
  const refreshes = new Map<string, Promise<CachedToken | undefined>>();
  const logins = createLogins({
    client,
    provider,
    ports,
    headless: config.headless,
    openBrowser,
    onEnd(failure) {
      if (failure === undefined) logger.info(`Signed in to ${service}`);
      else
        logger.warn(
          `No sign-in to ${service}: ${failure instanceof McpError ? failure.message : "it failed"}`,
        );
    },
  });

  /** Signs in, to a certain account where one is given, and gives the account. */
  const signIn = async (accountId: string | undefined, makeActive: boolean): Promise<Account> => {
    const wanted = accountId === undefined ? undefined : toAccountId(accountId);
    if (wanted !== undefined) accountKey(wanted, service, "token"); // says what is wrong with an id that none can have
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

  /** Refreshes once, however many ask; `undefined` where the user must sign in again. */
  const refresh = (accountId: string, token: CachedToken): Promise<CachedToken | undefined> => {
    const known = refreshes.get(accountId);
    if (known !== undefined) return known;
    const started = refreshNow(accountId, token).finally(() => refreshes.delete(accountId));
    refreshes.set(accountId, started);
    return started;
  };
  const refreshNow = async (accountId: string, seen: CachedToken): Promise<CachedToken | undefined> => {
    // Another caller may have refreshed between this one's look at the store and now.
    const token = (await book.token(accountId)) ?? seen;
    if (isGood(token, ports.now() + BUFFER_MS)) return token;
    const { refreshToken } = token;
    if (refreshToken === undefined) return undefined;
    const outcome = await client.refresh({ ...token, refreshToken });
    if (outcome.ok) {
      await book.replace(accountId, outcome.token);
      logger.debug(`Refreshed an access token for ${service}`);
      return outcome.token;
    }
    logger.warn(`An access token for ${service} could not be refreshed: ${outcome.reason}`);
    if (outcome.isRevoked) return afterRevocation(book, accountId, token, ports.now());
    if (isGood(token, ports.now())) return token;
    throw new McpError("SERVICE_UNAVAILABLE", `${provider.name} gave no new access token: ${outcome.reason}`);
  };

  const tokenOf = async (account: Account): Promise<string> => {
    const { accountId } = account;
    const token = await book.token(accountId);
    if (token !== undefined && isGood(token, ports.now() + BUFFER_MS)) return token.accessToken;
    const refreshed = token === undefined ? undefined : await refresh(accountId, token);
    if (refreshed !== undefined) return refreshed.accessToken;
    await signIn(accountId, false);
    return required(await book.token(accountId)).accessToken;
  };

  return {
    async getAccessToken(accountId) {
      return tokenOf((await book.find(accountId)) ?? (await signIn(undefined, true)));
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
      // A login that was under way for another reason leaves the active account as it is.
      add: async (accountId) => book.activate((await signIn(accountId, true)).accountId),
      activate: book.activate,
      remove: book.remove,
    },
    close: logins.cancelAll,
  };
}

function isGood(token: CachedToken, at: number): boolean {
  return token.expiresAt === undefined || token.expiresAt > at;
}

/** A store shared with another process may have the token that replaced the revoked one. */
async function afterRevocation(
  book: AccountBook,
  accountId: string,
  revoked: CachedToken,
  now: number,
): Promise<CachedToken | undefined> {
  const current = await book.token(accountId);
  const isReplaced = current !== undefined && current.refreshToken !== revoked.refreshToken;
  if (isReplaced && isGood(current, now)) return current;
  await book.forget(accountId, revoked);
  return undefined;
}

/** What was just kept is only gone if somebody took it away. */
function required<T>(value: T | undefined): T {
  if (value === undefined) throw new McpError("NOT_FOUND", "The account was removed meanwhile");
  return value;
}
