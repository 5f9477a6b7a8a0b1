/**
 * @fileoverview Brings the user to the authorization server and back: through the browser and a port of this machine, or
 * through the application's own function.
 * @module oauth/client-auth/flow/redirect
 */
import { type CallbackOptions, openCallbackServer } from "../../login/callback-server.js";
import type { PageName } from "../../login/pages.js";
import { untilAborted } from "../abort.js";
import { ClientAuthError } from "../errors.js";
import type { ClientAuthSettings } from "../settings.js";

/** Way to the authorization server and back, for one sign-in. */
export interface Redirect {
  /** Redirect URI of the authorization request. */
  readonly uri: string;
  /** Shows a URL to the user, and resolves with the URL that the authorization server redirects to. */
  receive(url: URL, signal: AbortSignal): Promise<URL>;
  /** Shows the user if the sign-in succeeded, and stops listening. */
  close(isSignedIn: boolean): void;
}

/** Values for one sign-in. */
export interface RedirectRequest {
  /** The `state` parameter. */
  readonly state: string;
  /** Redirect URI of an earlier sign-in. Its port is used again if it is free. */
  readonly earlier: string | undefined;
}

/** Opens the way back. @throws {ClientAuthError} if the port is in use */
export async function openRedirect(
  settings: ClientAuthSettings,
  request: RedirectRequest,
): Promise<Redirect> {
  const { authorize, redirectUri } = settings;
  if (authorize === undefined) return openLoopback(settings, request);
  return {
    uri: redirectUri,
    receive: (url, signal) => untilAborted(signal, authorize({ url, redirectUri, signal })),
    close: () => undefined,
  };
}

async function openLoopback(settings: ClientAuthSettings, request: RedirectRequest): Promise<Redirect> {
  const arrived = createDeferred<URLSearchParams>();
  const page = createDeferred<PageName>();
  const server = await listen(settings, request, async (parameters) => {
    arrived.resolve(parameters);
    return page.promise;
  });
  return {
    uri: server.redirectUri,
    async receive(url, signal) {
      const parameters = await untilAborted(signal, Promise.race([arrived.promise, show(settings, url)]));
      return new URL(`${server.redirectUri}?${parameters.toString()}`);
    },
    close(isSignedIn) {
      page.resolve(isSignedIn ? "done" : "failed");
      server.close();
    },
  };
}

/** Listens on the port of the redirect URI. Without one, prefers the port of an earlier sign-in. */
async function listen(
  { redirectUri }: ClientAuthSettings,
  { state, earlier }: RedirectRequest,
  onCallback: CallbackOptions["onCallback"],
) {
  const { hostname, pathname, port } = new URL(redirectUri);
  const host = hostname as CallbackOptions["host"]; // Safe: the settings were validated
  const open = (number: number) =>
    openCallbackServer({ host, path: pathname, port: number, state, background: false, onCallback });
  if (port !== "") {
    return open(Number(port)).catch(() => {
      throw new ClientAuthError(
        "browser_unavailable",
        `Could not listen on port ${port} for the redirect. Close the program that uses it, or set \`redirectUri\`.`,
      );
    });
  }
  const before = earlier === undefined ? "" : new URL(earlier).port;
  return before === "" ? open(0) : open(Number(before)).catch(() => open(0));
}

/** Shows the URL to the user. Never resolves. @throws if no browser can be opened and the URL was not shown */
async function show({ onSignIn, openBrowser }: ClientAuthSettings, url: URL): Promise<never> {
  onSignIn?.(new URL(url));
  try {
    await openBrowser(new URL(url));
  } catch {
    if (onSignIn === undefined) {
      throw new ClientAuthError(
        "browser_unavailable",
        "Could not open a browser for the sign-in. Pass `onSignIn` to show the URL to the user.",
      );
    }
  }
  return new Promise<never>(() => {});
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
