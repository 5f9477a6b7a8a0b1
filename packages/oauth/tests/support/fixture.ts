/**
 * @fileoverview An adapter with a real authorization server, a simulated user, a clock, and a log.
 * @module tests/oauth/support/fixture
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type AuthorizationServer,
  type Before,
  CLIENT_ID,
  startAuthorizationServer,
} from "../../../../examples/mail/authorization-server.js";
import { signIn, type UserOptions, type Visit } from "../../../../examples/mail/user-agent.js";
import {
  createMemoryTokenStore,
  createOAuthAdapters,
  type LoopbackAdapter,
  type OAuthFactoryConfig,
  type TokenStore,
} from "../../src/index.js";
import type { OAuthEnvironment } from "../../src/providers/config.js";

export const SCOPE = "openid email offline_access";
export const ADA = "ada@example.com";
export const GRACE = "grace@example.com";
export const HOUR_MS = 3_600_000;

/** A clock that tests advance. Timers fire only when it is advanced. */
export interface Clock {
  readonly ports: NonNullable<OAuthEnvironment["ports"]>;
  readonly advance: (ms: number) => void;
  /** Number of pending timers. */
  readonly waiting: () => number;
}

export function createClock(): Clock {
  let offset = 0;
  const timers = new Set<{ at: number; task: () => void }>();
  const now = () => Date.now() + offset;
  return {
    ports: {
      now,
      startTimer(task, ms) {
        const timer = { at: now() + ms, task };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    advance(ms) {
      offset += ms;
      for (const timer of [...timers].filter(({ at }) => at <= now())) {
        timers.delete(timer);
        timer.task();
      }
    },
    waiting: () => timers.size,
  };
}

/** Authorization server that counts token requests and whose token endpoint can be replaced. */
export interface Stand extends AuthorizationServer {
  readonly tokenRequests: () => number;
  /** Answers token requests while it is set. Returns false to pass a request on to the server. */
  tokenAnswer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export async function startStand(): Promise<Stand> {
  let count = 0;
  const before: Before = (request, response) => {
    if (request.method !== "POST" || request.url !== "/token") return false;
    count += 1;
    return stand.tokenAnswer?.(request, response) ?? false;
  };
  const server = await startAuthorizationServer(before);
  const stand: Stand = { ...server, tokenRequests: () => count, tokenAnswer: undefined };
  return stand;
}

/** Changes the JSON in the server's token response. */
export function rewriteAnswer(change: (body: Record<string, unknown>) => void): Stand["tokenAnswer"] {
  return (_request, response) => {
    const end = response.end.bind(response) as (text: string) => ServerResponse;
    response.end = ((text: string) => {
      const body = JSON.parse(text) as Record<string, unknown>;
      change(body);
      response.removeHeader("content-length");
      return end(JSON.stringify(body));
    }) as ServerResponse["end"];
    return false;
  };
}

/** An adapter with everything that a test observes or controls. */
export interface Setup {
  readonly adapter: LoopbackAdapter;
  readonly store: TokenStore;
  readonly clock: Clock;
  readonly lines: string[];
  /** URLs that were opened in the browser, in order. */
  readonly opened: URL[];
  readonly visits: Promise<Visit>[];
  /** The user's behavior on the next URL. */
  user: UserOptions;
}

export interface SetupOptions {
  readonly config?: Partial<OAuthFactoryConfig>;
  readonly environment?: OAuthEnvironment;
}

export async function setUp(stand: AuthorizationServer, options: SetupOptions = {}): Promise<Setup> {
  const clock = createClock();
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const opened: URL[] = [];
  const visits: Promise<Visit>[] = [];
  const store = options.config?.tokenStore ?? createMemoryTokenStore();
  const { loopback } = await createOAuthAdapters(
    {
      provider: stand.provider,
      service: "mail",
      clientId: CLIENT_ID,
      scope: SCOPE,
      headless: false,
      tokenStore: store,
      logger: { debug: write, info: write, warn: write, error: write },
      ...options.config,
    },
    {
      ports: clock.ports,
      async openBrowser(url) {
        opened.push(url);
        visits.push(signIn(url, setup.user));
      },
      ...options.environment,
    },
  );
  const setup: Setup = { adapter: loopback, store, clock, lines, opened, visits, user: { email: ADA } };
  return setup;
}
