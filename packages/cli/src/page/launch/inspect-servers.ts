/**
 * @fileoverview Servers of `tenon inspect`: a URL, a module, or a program.
 * @module cli/page/launch/inspect-servers
 */
import { isLoopbackHost, LOOPBACK_HOSTS } from "@tenon/internal/security/loopback";
import { createTextRedactor, REDACTED } from "@tenon/internal/security/redact-text";
import { isSecretName } from "@tenon/internal/security/secret-names";
import { type ClientAuthorization, createClient, type Trace } from "tenon/client";
import type { Target } from "../../client/target.js";
import type { InspectedServer, SignInListener, ToolView } from "../workbench/inspected-server.js";
import type { Terminal } from "@tenon/internal/command-line/command";
import { OutputLines } from "../../dev/log/output-lines.js";
import { createHttpMcpRouter, type HttpMcpRouter } from "@tenon/kit";
import type { LoadedServer } from "../../load/load-server.js";
import { splitTarget } from "../../load/split-target.js";
import { isTenonServer, readModule } from "../../tokens/module-views.js";
import { AS_LISTED, describeView } from "../../tokens/views.js";

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

/** Creates the server. Each client starts the program. `onLine` is called with each line of its error output. */
export function inspectProgram(
  words: readonly string[],
  { cwd, env }: Pick<Terminal, "cwd" | "env">,
  onLine: (line: string) => void,
): InspectedServer {
  const [command = "", ...args] = words;
  return {
    isProgram: true,
    slowMessage: "The program has not responded yet. Check that it is an MCP server.",
    connect(options) {
      const lines = new OutputLines(onLine);
      const decoder = new TextDecoder();
      const onStderr = (chunk: Uint8Array) => lines.push(decoder.decode(chunk, { stream: true }));
      return createClient({ command, args, cwd, env, onStderr }, options);
    },
    snippets: () => ({ headers: [], hasToken: false, program: showWords(words) }),
  };
}

const MAX_WORD = 4_000;

const redact = createTextRedactor({ limit: MAX_WORD });

/** Returns the words of a command line without the credentials in them. A flag such as `--token` can have its own word. */
export function showWords(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? "";
    const isValue = /^--?[^=]+$/.test(before) && !word.startsWith("-") && isSecretName(before);
    return isValue ? REDACTED : redact(word);
  });
}

/** Path of the module's endpoint. */
export const MODULE_PATH = "/mcp";

/** Module that is served. */
interface ServedModule {
  readonly server: InspectedServer;
  readonly router: HttpMcpRouter;
}

/** Serves a module. `endpoint` returns the URL of its endpoint. */
export function inspectModule(file: string, loaded: LoadedServer, endpoint: () => string): ServedModule {
  const { origin, context } = loaded;
  const router = createHttpMcpRouter({ ...origin, allowedHosts: [...LOOPBACK_HOSTS], context });
  const own = origin.mcpServer;
  const server: InspectedServer = {
    isProgram: false,
    connect: (options) => createClient(endpoint(), options),
    snippets: () => ({
      url: endpoint(),
      server: file,
      headers: [],
      hasToken: false,
      module: isTenonServer(own) ? toModule(file) : undefined,
    }),
    readViews: () => (isTenonServer(own) ? readViews(own, context) : Promise.resolve([])),
  };
  return { server, router };
}

function toModule(target: string): { readonly file: string; readonly exportName: string | undefined } {
  return splitTarget(target) ?? { file: target, exportName: undefined };
}

type TenonServer = Parameters<typeof readModule>[0];

async function readViews(server: TenonServer, context: unknown): Promise<readonly ToolView[]> {
  const { views } = await readModule(server, { key: AS_LISTED, revision: "latest", context });
  const listed = describeView(AS_LISTED);
  return views
    .map(({ key, tools }) => ({ title: describeView(key), tools }))
    .filter(({ title }) => title !== listed);
}
