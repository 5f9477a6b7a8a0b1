import { onTestFinished } from "vitest";
import { USER_MESSAGES } from "../../../src/messages/built-in-messages.js";
import { compileFrameCheck } from "../../../src/messages/frames.js";
import { type Listener, openListener } from "../../../src/socket/listener.js";
import { resolveOptions, type StartOptions } from "../../../src/socket/options.js";
import type { ConnectionRequest } from "../../../src/users/user.js";
import type { AgentUser } from "../../../src/users/user.js";
import { connectClient, type TestClient } from "../socket/test-client.js";

/** A running endpoint. It sends `connected` with the user, and repeats the type of each message in an `ack`. */
export interface RunningListener {
  readonly url: string;
  readonly port: number;
  readonly listener: Listener;
  readonly lines: readonly string[];
  /** Users for whom `open` and `close` were called. */
  readonly opened: readonly (AgentUser | undefined)[];
  readonly closed: readonly (AgentUser | undefined)[];
  /** Types of the messages that reached the handler. */
  readonly handled: readonly string[];
}

/** Starts an endpoint without conversations. It is closed when the test ends. */
export async function startListener(
  options: StartOptions,
  config: { readonly maxConnections?: number; readonly heartbeatInterval?: number } = {},
): Promise<RunningListener> {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const opened: (AgentUser | undefined)[] = [];
  const closed: (AgentUser | undefined)[] = [];
  const handled: string[] = [];
  const [first, ...others] = USER_MESSAGES;
  const settings = resolveOptions({ port: 0, ...config }, { port: 0, stopTimeout: 500, logger, ...options });
  const listener = await openListener(settings, {
    check: compileFrameCheck([first, ...others]),
    open(connection) {
      opened.push(connection.user);
      const { id, canWrite } = connection.user ?? {};
      connection.send({ type: "connected", data: { userId: id, canWrite } });
    },
    close: (connection) => void closed.push(connection.user),
    stop: () => Promise.resolve(),
    async receive({ type }, connection) {
      handled.push(type);
      connection.send({ type: "ack", data: { of: type, userId: connection.user?.id } });
    },
  });
  onTestFinished(() => listener.close());
  const { url, port } = listener.address;
  return { url, port, listener, lines, opened, closed, handled };
}

/** Tokens of the users that `identifyByTable` knows. */
export const TOKENS: Readonly<Record<string, AgentUser>> = {
  "token-of-ada": { id: "ada" },
  "token-of-bob": { id: "bob", canWrite: false },
};

/** Identifies users by a table of tokens. */
export function identifyByTable(token: string, _request?: ConnectionRequest): AgentUser | undefined {
  return Object.hasOwn(TOKENS, token) ? TOKENS[token] : undefined;
}

/** Connects a client that sends its token as the first message. */
export async function authenticated(url: string, token: string): Promise<TestClient> {
  const client = await connectClient(url);
  client.send({ type: "authenticate", data: { token } });
  await client.take("connected");
  return client;
}
