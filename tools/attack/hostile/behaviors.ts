/**
 * @fileoverview Ways in which a hostile server treats the requests of its client.
 * @module tools/attack/hostile/behaviors
 */
import { setTimeout as sleep } from "node:timers/promises";

/** Request of the client. */
export interface HostileRequest {
  readonly id: unknown;
  readonly method: unknown;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Connection to the client. Over HTTP, it is the response to one request. */
export interface Peer {
  /** False once the client has disconnected. */
  readonly isOpen: boolean;
  /** Sends a message: an event, or a line. Resolves when the client has read enough. */
  send(message: object): Promise<void>;
  /** Writes text into the event stream, or into the standard output. */
  write(text: string): Promise<void>;
  /** Responds with a result: compressed JSON, or a line. */
  reply(result: object): Promise<void>;
  /** Writes a part of a body of JSON that is not compressed. Over stdio, the same as `write`. */
  writeBody(text: string): Promise<void>;
  /** Ends the body. */
  endBody(): void;
}

/** Treats one request, in any way. */
export type Behavior = (request: HostileRequest, peer: Peer) => Promise<void>;

const MEGABYTE = 1024 * 1024;
/** Text that is almost as large as the largest message. */
export const LARGE = "x".repeat(15 * MEGABYTE);
const CHUNK = "x".repeat(65_536);
/** Text whose every part takes two bytes per character in memory, but about one byte on the wire. */
const WIDE = `ж${"x".repeat(999)}`.repeat(15_000);

/** Repeats an attack until the client has disconnected. */
const forever =
  (step: (request: HostileRequest, peer: Peer, turn: number) => Promise<void>): Behavior =>
  async (request, peer) => {
    for (let turn = 0; peer.isOpen; turn++) await step(request, peer, turn);
  };

/** Responds to the methods of a task, whose state never changes but for its message. */
const task: Behavior = async ({ id, method }, peer) => {
  const common = { taskId: "t", status: "working", pollIntervalMs: 0.001 };
  if (method === "tools/call") await peer.reply({ ...common, resultType: "task" });
  else await peer.reply({ ...common, statusMessage: `${String(id)} ${CHUNK}` });
};

/** Creates a task that asks different questions in each round. */
const asking =
  (keysOf: (round: string) => readonly string[]): Behavior =>
  async ({ id, method }, peer) => {
    const task = { taskId: "t", status: "input_required", pollIntervalMs: 0.001 };
    const question = { method: "elicitation/create", params: {} };
    if (method === "tools/call") await peer.reply({ ...task, resultType: "task" });
    else if (method !== "tasks/get") await peer.reply({});
    else {
      const questions = keysOf(String(id)).map((key) => [key, question] as const);
      await peer.reply({ ...task, inputRequests: Object.fromEntries(questions) });
    }
  };

/** Sends a list, and reports changes of it without an end. */
const changes: Behavior = async ({ method }, peer) => {
  if (method === "tools/list") {
    const tools = [{ name: `t${Math.random()}`, description: LARGE.slice(0, 6 * MEGABYTE), inputSchema: {} }];
    return peer.reply({ tools });
  }
  while (peer.isOpen) await peer.send({ method: "notifications/tools/list_changed" });
};

/** All behaviors by name. */
export const BEHAVIORS: Readonly<Record<string, Behavior>> = {
  pages: ({ id }, peer) => peer.reply({ tools: [{ name: "a", description: LARGE }], nextCursor: String(id) }),
  values: ({ id }, peer) => {
    const examples = Array.from({ length: 900_000 }, () => ({}));
    return peer.reply({ tools: [{ name: "a", examples }], nextCursor: String(id) });
  },
  keys: ({ id }, peer) => {
    const examples = Array.from({ length: 200_000 }, (_, at) => ({ [`k${String(id)}-${at}`]: 1 }));
    return peer.reply({ tools: [{ name: "a", examples }], nextCursor: String(id) });
  },
  cursors: (_request, peer) => peer.reply({ tools: [], nextCursor: "same" }),
  notifications: forever((_request, peer) =>
    peer.send({ method: "notifications/message", params: { level: "info", data: LARGE } }),
  ),
  pings: forever((_request, peer, turn) => peer.send({ id: `p${turn}`, method: "ping" })),
  unknown: forever((_request, peer, turn) =>
    peer.send({ id: turn + 1_000, method: CHUNK, params: { text: CHUNK } }),
  ),
  samples: forever((_request, peer, turn) =>
    peer.send({
      id: `s${turn}`,
      method: "sampling/createMessage",
      params: { text: "x".repeat(4 * MEGABYTE) },
    }),
  ),
  ids: forever((_request, peer) => peer.send({ id: LARGE, method: "ping" })),
  progress: forever((request, peer, turn) =>
    peer.send({
      method: "notifications/progress",
      params: { progressToken: request.id, progress: turn, message: CHUNK },
    }),
  ),
  nesting: async ({ id }, peer) => {
    const nested = `${"[".repeat(7e6)}${"]".repeat(7e6)}`;
    await peer.writeBody(`{"jsonrpc":"2.0","id":${String(id)},"result":${nested}}\n`);
    peer.endBody();
  },
  line: forever((_request, peer) => peer.write(CHUNK)),
  body: forever((_request, peer) => peer.writeBody(CHUNK)),
  bytes: forever(async (_request, peer) => {
    for (let times = 0; times < 2_000; times++) void peer.writeBody("x");
    await peer.writeBody("x");
  }),
  dataLines: forever((_request, peer) => peer.write("data\n".repeat(20_000))),
  comments: forever((_request, peer) => peer.write(":\n\n".repeat(20_000))),
  drip: forever(async (_request, peer) => {
    await peer.write(":");
    await sleep(50);
  }),
  halves: (_request, peer) => peer.writeBody(`{"x":"${LARGE}`),
  wideHalves: (_request, peer) => peer.write(`data: ${WIDE}`),
  longKeys: asking((round) => [`${round} ${LARGE.slice(0, 4 * MEGABYTE)}`]),
  manyKeys: asking((round) =>
    Array.from({ length: 32 }, (_, at) => `${round} ${at} ${CHUNK.slice(0, 10_000)}`),
  ),
  /** The server sends a large result of the handshake. */
  handshake: () => Promise.resolve(),
  silence: () => Promise.resolve(),
  task,
  changes,
};
