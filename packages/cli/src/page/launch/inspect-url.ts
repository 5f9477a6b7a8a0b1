/**
 * @fileoverview Server at a URL, for `tenon inspect`.
 * @module cli/page/launch/inspect-url
 */
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { REDACTED } from "@tenon/internal/security/redact-text";
import { isSecretName } from "@tenon/internal/security/secret-names";
import { type ClientAuthorization, createClient, type Trace } from "tenon/client";
import type { Target } from "../../client/target.js";
import type { InspectedServer, SignInListener } from "../workbench/inspected-server.js";

type UrlTarget = Extract<Target, { readonly kind: "url" }>;

/** Creates the server. Without an `Authorization` header, the user can sign in on the page. */
export function inspectUrl({ url, headers }: UrlTarget, version: string): InspectedServer {
  const names = headers.map(([name]) => name.toLowerCase());
  const hasToken = names.includes("authorization");
  // Tokens are sent only over TLS, or to this machine.
  const canSignIn = !hasToken && (url.protocol === "https:" || isLoopbackHost(url.hostname));
  const signIn = canSignIn ? createAuthorization(url, version) : undefined;
  return {
    isProgram: false,
    slowMessage: "The server has not responded yet. Check that the URL is an MCP endpoint.",
    connect: (options) =>
      createClient(url, {
        ...options,
        trace: hideHeaders(options.trace, new Set(names)),
        headers: Object.fromEntries(headers),
        ...(signIn && { authorization: signIn.authorization }),
      }),
    snippets: () => ({ url: showUrl(url), server: showUrl(url), headers: names, hasToken }),
    ...(signIn && { onSignIn: signIn.onSignIn, signOut: signIn.signOut }),
  };
}

/** Replaces the values of the user's headers in requests. Each of them can be a credential, whatever its name is. */
function hideHeaders(trace: Trace | undefined, names: ReadonlySet<string>): Trace {
  return (message) => {
    const { direction, http } = message;
    if (direction === "received" || http === undefined) return trace?.(message);
    const headers = http.headers.map(([name, value]) => {
      const isSecret = names.has(name) && name !== "authorization";
      return [name, isSecret ? REDACTED : value] as const;
    });
    return trace?.({ ...message, http: { ...http, headers } });
  };
}

/** Returns a URL without the values of parameters that are secret. */
export function showUrl(url: URL): string {
  const shown = new URL(url);
  for (const name of new Set(shown.searchParams.keys()))
    if (isSecretName(name)) shown.searchParams.set(name, REDACTED);
  return shown.href;
}

interface SignIn extends Required<Pick<InspectedServer, "onSignIn" | "signOut">> {
  readonly authorization: ClientAuthorization;
}

/** Creates the authorization. Its code is loaded when the server rejects a request. */
function createAuthorization(url: URL, version: string): SignIn {
  const listeners = new Set<SignInListener>();
  const load = async () => {
    const { createSignIn } = await import("./sign-in.js");
    return createSignIn(version, (signInUrl) => {
      for (const listener of listeners) listener(signInUrl);
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  return {
    authorization: {
      token: async (request) => (await loading)?.token(request),
      async renew(challenge) {
        loading ??= load();
        return (await loading).renew(challenge);
      },
    },
    onSignIn: (listener) => void listeners.add(listener),
    async signOut() {
      await (await loading)?.signOut(url);
    },
  };
}
