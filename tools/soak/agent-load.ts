/**
 * @fileoverview Clients of the agent server in the soak test, over WebSocket.
 * @module tools/soak/agent-load
 */
import { once } from "node:events";
import { WebSocket } from "ws";
import type { Random } from "../random.js";
import { DONE, SHOUT, SLOW } from "./agent-server.js";
import type { Json } from "./client.js";
import { runClients, withLimit } from "./load.js";
import type { LoadPlan } from "./protocol.js";
import { expectEqual } from "./scenarios.js";
import type { Tally } from "./tally.js";

/** Shortest time between two conversations in milliseconds. The server lists every conversation in memory. */
export interface AgentPace {
  readonly conversationMs: number;
}

/** Connects, exchanges messages, and leaves, again and again. */
export async function loadAgent(
  plan: LoadPlan,
  port: number,
  { tally, conversationMs }: AgentPace & { readonly tally: Tally },
): Promise<void> {
  let closed = 0;
  let nextConversation = 0;
  const due = [...Object.keys(CONVERSATIONS), ...Object.keys(EXCHANGES)];
  await runClients(
    plan,
    () => due.length === 0,
    async (random) => {
      const mayTalk = performance.now() >= nextConversation;
      if (mayTalk) nextConversation = performance.now() + conversationMs;
      const name = due.pop() ?? random.pick(Object.keys(mayTalk ? CONVERSATIONS : EXCHANGES));
      const client = new AgentClient(port, plan.hangMs);
      try {
        await client.open();
        tally.add("connections");
        await (CONVERSATIONS[name] ?? EXCHANGES[name])?.({ client, random, tally });
      } catch (error) {
        tally.fail(`agent: ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      await withLimit(client.close(++closed % 2 === 0, tally), plan.hangMs).catch((error: unknown) =>
        tally.fail(`agent: close: ${String(error)}`),
      );
    },
  );
}

interface Scene {
  readonly client: AgentClient;
  readonly random: Random;
  readonly tally: Tally;
}

type Scenario = (scene: Scene) => Promise<void>;

/** Scenarios that leave nothing on disk. */
const EXCHANGES: Readonly<Record<string, Scenario>> = {
  async pings({ client, random, tally }) {
    const numbers = Array.from({ length: random.between(1, 20) }, (_, index) => index);
    for (const number of numbers) client.send({ type: "ping", data: { number } });
    const pongs: unknown[] = [];
    while (pongs.length < numbers.length) pongs.push((await client.next("pong"))["number"]);
    expectEqual("pongs", pongs, numbers);
    tally.add("requests", numbers.length);
  },
  async invalidFrames({ client, tally }) {
    client.send("{");
    expectEqual("error", (await client.next("error"))["message"], NOT_JSON);
    client.send({ type: "interrupt", data: { taskId: "missing" } });
    expectEqual("error", (await client.next("error"))["message"], 'Task "missing" does not exist.');
    tally.add("invalid requests", 2);
  },
};

const NOT_JSON = 'The frame must be a JSON object: { "type": …, "data": … }.';

/** Scenarios that store a conversation. */
const CONVERSATIONS: Readonly<Record<string, Scenario>> = {
  async answered({ client, random, tally }) {
    client.send({ type: "userSendMessage", data: { message: random.pick(["Hello", SHOUT]) } });
    const { taskId, status } = await client.next("ack");
    expectEqual("ack", status, "acked");
    const final = await client.next("message", ({ partial }) => partial !== true);
    expectEqual("message", final["message"], DONE);
    expectEqual("reason", (await client.next("conversationOver"))["reason"], "answered");
    client.send({ type: "loadTask", data: { taskId } });
    expectEqual("status", (await client.next("taskHistory"))["status"], "idle");
    tally.add("agent messages", 2);
  },
  async interrupted({ client, tally }) {
    client.send({ type: "userSendMessage", data: { message: SLOW } });
    const { taskId } = await client.next("ack");
    await client.next("message");
    client.send({ type: "interrupt", data: { taskId } });
    expectEqual("reason", (await client.next("conversationOver"))["reason"], "interrupted");
    tally.add("agent messages", 2);
  },
  /** Leaves while the model responds. */
  async left({ client, tally }) {
    client.send({ type: "userSendMessage", data: { message: SLOW } });
    await client.next("message");
    tally.add("agent messages");
  },
};

/** WebSocket client that keeps messages until they are taken. */
class AgentClient {
  readonly #socket: WebSocket;
  readonly #received: { readonly type: string; readonly data: Json }[] = [];
  readonly #hangMs: number;
  #wake = () => undefined as void;

  constructor(port: number, hangMs: number) {
    this.#hangMs = hangMs;
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
    this.#socket.on("message", (bytes) => {
      // Safe: frames of the server under test. `ws` passes text frames as a buffer.
      this.#received.push(JSON.parse((bytes as Uint8Array).toString()) as { type: string; data: Json });
      this.#wake();
    });
  }

  async open(): Promise<void> {
    await withLimit(once(this.#socket, "open"), this.#hangMs);
    await this.next("connected");
    await this.next("sessionHistories");
  }

  send(message: object | string): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** Takes the next message of a type. @throws if none arrives in time */
  async next(type: string, check: (data: Json) => boolean = () => true): Promise<Json> {
    const found = await withLimit(this.#find(type, check), this.#hangMs).catch(() => undefined);
    if (found === undefined) throw new Error(`no message of the type ${type} within ${this.#hangMs} ms`);
    return found;
  }

  /** Closes the connection, with or without a closing handshake. */
  async close(isPolite: boolean, tally: Tally): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.#socket, "close");
    if (isPolite) this.#socket.close();
    else {
      this.#socket.terminate();
      tally.add("connections dropped");
    }
    await closed;
  }

  async #find(type: string, check: (data: Json) => boolean): Promise<Json> {
    for (;;) {
      const index = this.#received.findIndex((one) => one.type === type && check(one.data));
      const [found] = index === -1 ? [] : this.#received.splice(index, 1);
      if (found !== undefined) return found.data;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
