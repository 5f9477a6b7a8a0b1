/**
 * @fileoverview A scripted MCP server and authorization server for cases that a real server cannot produce, such as
 * attacks. Requests go to functions instead of sockets.
 * @module tests/oauth/support/client-auth/world
 */
import type { JsonObject } from "@tenon/internal/json";
import {
  type ClientAuthOptions,
  createClientAuth,
  createMemoryTokenStore,
  type OAuthClientAuth,
  type TokenStore,
} from "../../../src/index.js";
import { type Clock, createClock } from "../fixture.js";

export const ENDPOINT = new URL("https://mcp.example.com/mcp");
export const ISSUER = "https://auth.example.com";
export const REDIRECT = "http://127.0.0.1:4000/callback";

/** URLs of the scripted servers. */
export const PRM = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp";
export const METADATA = `${ISSUER}/.well-known/oauth-authorization-server`;

/** A request to the scripted servers. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** Parameters of a form, or members of a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answer of a scripted endpoint: a JSON object with status 200, or a whole response. */
export type Answer = JsonObject | Response;

export interface World {
  readonly requests: SentRequest[];
  /** Answers by URL. All other URLs are missing. */
  readonly answers: Map<string, (request: SentRequest) => Answer | Promise<Answer>>;
  /** URLs that the user was sent to. */
  readonly visits: URL[];
  /** Parameters that the authorization server adds to the redirect. `undefined` removes one. */
  callback: (url: URL) => Readonly<Record<string, string | undefined>>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly authorize: (request: { readonly url: URL }) => Promise<URL>;
  /** Returns the paths of all requests so far. */
  readonly paths: () => readonly string[];
  /** Returns the bodies of the requests to a URL. */
  readonly bodiesOf: (url: string) => readonly Readonly<Record<string, unknown>>[];
}

/** Metadata of the scripted authorization server. */
export const SERVER: JsonObject = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"],
  authorization_response_iss_parameter_supported: true,
};

export const RESOURCE: JsonObject = {
  resource: ENDPOINT.href,
  authorization_servers: [ISSUER],
};

/** Documents that replace the default ones. */
export interface WorldOptions {
  readonly resource?: JsonObject;
  readonly server?: JsonObject;
}

/** Creates the servers. Tokens are numbered: `access-1`, `refresh-1`, and so on. */
export function createWorld({ resource = {}, server = {} }: WorldOptions = {}): World {
  let tokens = 0;
  let clients = 0;
  const answers: World["answers"] = new Map();
  answers.set(PRM, () => ({ ...RESOURCE, ...resource }));
  answers.set(METADATA, () => ({ ...SERVER, ...server }));
  answers.set(`${ISSUER}/register`, () => json(201, { client_id: `client-${++clients}` }));
  answers.set(`${ISSUER}/token`, () => {
    const number = ++tokens;
    return {
      access_token: `access-${number}`,
      refresh_token: `refresh-${number}`,
      token_type: "Bearer",
      expires_in: 3_600,
    };
  });
  const world: World = {
    requests: [],
    answers,
    visits: [],
    callback: () => ({}),
    async fetch(url, init) {
      const request = await readRequest(url, init);
      world.requests.push(request);
      const answer = await answers.get(url)?.(request);
      if (answer === undefined) return new Response("missing", { status: 404 });
      return answer instanceof Response ? answer : json(200, answer);
    },
    async authorize({ url }) {
      world.visits.push(url);
      const target = new URL(url.searchParams.get("redirect_uri") ?? "");
      const parameters = {
        code: `code-${world.visits.length}`,
        state: url.searchParams.get("state") ?? undefined,
        iss: ISSUER,
        ...world.callback(url),
      };
      for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined) target.searchParams.append(name, value);
      }
      return target;
    },
    paths: () => world.requests.map(({ url }) => new URL(url).pathname),
    bodiesOf: (url) => world.requests.filter((request) => request.url === url).map(({ body }) => body),
  };
  return world;
}

/** Creates a JSON response. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

async function readRequest(url: string, init: RequestInit): Promise<SentRequest> {
  const request = new Request(url, init);
  const text = await request.text();
  const isJson = request.headers.get("content-type")?.includes("json") === true;
  const body = isJson
    ? (JSON.parse(text) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(text));
  return { url, method: request.method, headers: request.headers, body };
}

/** A client with everything that a test observes. */
export interface Setup {
  readonly world: World;
  readonly auth: OAuthClientAuth;
  readonly store: TokenStore;
  readonly clock: Clock;
  readonly lines: string[];
  /** Reports a rejected request. */
  readonly renew: (rejection?: Rejection) => Promise<boolean>;
  readonly token: () => Promise<string | undefined>;
}

/** A rejection by the MCP server. */
export interface Rejection {
  readonly status?: number;
  readonly header?: string | undefined;
  readonly token?: string | undefined;
  readonly signal?: AbortSignal;
  readonly url?: URL;
}

export function setUp(world: World, options: ClientAuthOptions = {}): Setup {
  const clock = createClock();
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const store = options.store ?? createMemoryTokenStore();
  const auth = createClientAuth({
    redirectUri: REDIRECT,
    authorize: world.authorize,
    fetch: world.fetch,
    ports: clock.ports,
    logger: { debug: write, info: write, warn: write, error: write },
    ...options,
    store,
  });
  return {
    world,
    auth,
    store,
    clock,
    lines,
    renew: ({ status = 401, header, token, signal = new AbortController().signal, url = ENDPOINT } = {}) =>
      auth.renew({ url, status, header, token, signal }),
    token: async () => auth.token({ url: ENDPOINT }),
  };
}

/** Returns a challenge for more scopes. */
export function stepUp(scope: string): string {
  return `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${PRM}"`;
}
