/**
 * @fileoverview One login, from the address that the user opens to the callback that ends it.
 * @module oauth/login
 */
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { type CallbackServer, openCallbackServer } from "./callback-server.js";
import type { OAuthClient } from "./oauth-client.js";
import type { OAuthProvider } from "../providers/provider.js";
import type { CachedToken } from "../tokens/token-store.js";

/** How long a user may take. */
export const LOGIN_MS = 5 * 60_000;

/** What a login needs. */
export interface LoginRequest {
  readonly client: OAuthClient;
  readonly provider: OAuthProvider;
  readonly ports: Ports;
  /** The account that is wanted; another one is refused. */
  readonly hint: string | undefined;
  /** Whether other accounts are linked. */
  readonly isFurther: boolean;
  /** Must not keep the program running by itself. */
  readonly background: boolean;
  /** Takes what was granted, before the user is told that it worked. */
  readonly keep: (email: string, token: CachedToken) => Promise<void>;
}

/** A login under way. */
export interface Login {
  readonly url: URL;
  /** Resolves with the account's email. Rejects with an `McpError` that may be shown. */
  readonly done: Promise<string>;
  /** Gives it up. */
  readonly cancel: () => void;
}

/** Starts a login: from now on its callback is waited for. */
export async function startLogin(request: LoginRequest): Promise<Login> {
  const { client, provider, ports, hint, isFurther, background } = request;
  const secrets = client.createSecrets();
  const end = createEnd();

  const finish = async (parameters: URLSearchParams): Promise<string> => {
    const outcome = await client.exchange(parameters, server.redirectUri, secrets);
    if (!outcome.ok) {
      throw new McpError("UNAUTHORIZED", `The sign-in with ${provider.name} did not work: ${outcome.reason}`);
    }
    const email = await client.readEmail(outcome.token.accessToken);
    if (email === undefined) throw new McpError("UNAUTHORIZED", describeMissingEmail(provider));
    await request.keep(email, outcome.token);
    return email;
  };

  const server: CallbackServer = await openCallbackServer({
    host: provider.redirectHost ?? "127.0.0.1",
    path: provider.redirectPath ?? "/callback",
    state: secrets.state,
    background,
    async onCallback(parameters) {
      // The user has done their part; the rest has time limits of its own.
      stopTimer();
      try {
        end.resolve(await finish(parameters));
        return "done";
      } catch (error) {
        end.reject(error instanceof McpError ? error : new McpError("INTERNAL_ERROR", UNEXPECTED));
        return "failed";
      }
    },
  });
  const stopTimer = ports.startTimer(
    () => end.reject(new McpError("TIMEOUT", `The sign-in with ${provider.name} took longer than 5 minutes`)),
    LOGIN_MS,
    background,
  );
  const done = end.promise.finally(() => {
    stopTimer();
    server.close();
  });
  // Whoever waits for it gets the rejection from `done`; nobody has to.
  done.catch(() => undefined);

  try {
    const { redirectUri } = server;
    const url = await client.authorizationUrl({ secrets, redirectUri, hint, isFurther });
    return {
      url,
      done,
      cancel: () => end.reject(new McpError("SHUTDOWN_ERROR", "The sign-in was given up")),
    };
  } catch (error) {
    end.reject(error);
    throw error;
  }
}

const UNEXPECTED = "The sign-in worked, but its tokens could not be kept";

function describeMissingEmail({ name, emailScope }: OAuthProvider): string {
  const hint = emailScope === undefined ? "" : ` Is ${emailScope} among the scopes?`;
  return `${name} did not tell the email of the account.${hint}`;
}

interface End {
  readonly promise: Promise<string>;
  readonly resolve: (email: string) => void;
  readonly reject: (error: unknown) => void;
}

/** A promise that is settled from outside; only the first time counts. */
function createEnd(): End {
  let settle: Omit<End, "promise"> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
