/**
 * @fileoverview A single login: the URL that the user opens, and the callback that completes it.
 * @module oauth/login/login
 */
import type { Ports } from "@tenon/internal/ports";
import { McpError } from "tenon/protocol";
import { type CallbackServer, openCallbackServer } from "./callback-server.js";
import type { OAuthClient } from "./oauth-client.js";
import type { OAuthProvider } from "../providers/provider.js";
import type { CachedToken } from "../tokens/token-store.js";

/** Time limit for a login in milliseconds. */
export const LOGIN_MS = 5 * 60_000;

/** Parameters for `startLogin`. */
export interface LoginRequest {
  readonly client: OAuthClient;
  readonly provider: OAuthProvider;
  readonly ports: Ports;
  /** Account to sign in to. The provider preselects it, and `keep` rejects any other account. */
  readonly hint: string | undefined;
  /** True if other accounts are already linked. */
  readonly isFurther: boolean;
  /** True to let the process exit during the login. */
  readonly background: boolean;
  /** Stores the tokens. Called before the browser shows the success page. */
  readonly keep: (email: string, token: CachedToken) => Promise<void>;
}

/** Login in flight. */
export interface Login {
  /** URL that the user must open. */
  readonly url: URL;
  /** Resolves with the account's email. Rejects with an `McpError` whose message is safe to show. */
  readonly done: Promise<string>;
  /** Cancels the login: closes the callback server and rejects `done`. */
  readonly cancel: () => void;
}

/** Starts a login. Resolves as soon as the URL is ready. */
export async function startLogin(request: LoginRequest): Promise<Login> {
  const { client, provider, ports, hint, isFurther, background } = request;
  const secrets = client.createSecrets();
  const end = createEnd();

  const finish = async (parameters: URLSearchParams): Promise<string> => {
    const outcome = await client.exchange(parameters, server.redirectUri, secrets);
    if (!outcome.ok) {
      throw new McpError(
        "UNAUTHORIZED",
        `Sign-in with ${provider.name} failed (code: ${outcome.reason}). Try again.`,
      );
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
      // The user has finished. The remaining steps have their own time limits.
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
  const stopTimer = ports.startTimer(() => end.reject(timedOut(provider)), LOGIN_MS, background);
  const done = end.promise.finally(() => {
    stopTimer();
    server.close();
  });
  // Prevents an unhandled rejection if no caller awaits `done`.
  done.catch(() => undefined);

  try {
    const { redirectUri } = server;
    const url = await client.authorizationUrl({ secrets, redirectUri, hint, isFurther });
    return {
      url,
      done,
      cancel: () => end.reject(new McpError("SHUTDOWN_ERROR", "The sign-in was cancelled.")),
    };
  } catch (error) {
    end.reject(error);
    throw error;
  }
}

const UNEXPECTED =
  "The sign-in succeeded, but the tokens could not be stored. Check `tokenStore` and try again.";

function timedOut({ name }: OAuthProvider): McpError {
  return new McpError("TIMEOUT", `Sign-in with ${name} timed out after 5 minutes. Try again.`);
}

function describeMissingEmail({ name, emailScope }: OAuthProvider): string {
  const hint = emailScope === undefined ? "" : ` Add ${emailScope} to \`scope\`.`;
  return `${name} did not return the account's email address.${hint}`;
}

interface End {
  readonly promise: Promise<string>;
  readonly resolve: (email: string) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a promise with its `resolve` and `reject` functions. Only the first call has an effect. */
function createEnd(): End {
  let settle: Omit<End, "promise"> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<string>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
