import { cpSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { ConversationOptions } from "../../src/conversation/options.js";
import type { ModelPiece, ModelPort } from "../../src/models/model-port.js";
import { type Running, startServer, temporaryFolder, type TestClient } from "../support/socket/clients.js";
import { enter, say } from "../support/users/attack-agents.js";

/** Agent whose model responds only when the test says so. */
interface Agent extends Running {
  readonly storage: string;
  /** Requests in flight, in order. The functions end them. */
  readonly requests: readonly PendingRequest[];
  /** Highest number of requests at the same time. */
  readonly most: () => number;
}

interface PendingRequest {
  readonly respond: (...pieces: readonly ModelPiece[]) => void;
  readonly fail: (error: Error) => void;
}

async function startAgent(options: ConversationOptions, storage = temporaryFolder()): Promise<Agent> {
  const requests: PendingRequest[] = [];
  let inFlight = 0;
  let most = 0;
  const model: ModelPort = async function* (_conversation, signal) {
    most = Math.max(most, ++inFlight);
    try {
      yield* await new Promise<readonly ModelPiece[]>((resolve, reject) => {
        requests.push({ respond: (...pieces) => resolve(pieces), fail: reject });
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    } finally {
      inFlight--;
    }
  };
  const running = await startServer((builder) => builder.storagePath(storage).model(model, options), {
    users: { identify: (id) => ({ id }) },
  });
  return { ...running, storage, requests, most: () => most };
}

const used = (tokens: number): ModelPiece => ({
  finish: { reason: "stop", usage: { inputTokens: tokens } },
});

/** Starts one task on each of several connections of a user. */
async function startTasks(agent: Agent, count: number, user = "ada"): Promise<readonly TestClient[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const client = await enter(agent.url, user);
      await say(client, { message: "Go", taskId: `${user}-${index}` });
      return client;
    }),
  );
}

async function endingOf(client: TestClient): Promise<string> {
  return String((await client.take("conversationOver")).data["reason"]);
}

async function requestsOf(agent: Agent, count: number): Promise<void> {
  await expect.poll(() => agent.requests.length).toBe(count);
}

const ROUNDS = 20;

describe("a budget per user and day", () => {
  test("for one response lets one of 20 parallel runs pass, on as many connections", async () => {
    const agent = await startAgent({ budgets: { userPerDay: 100 } });
    const clients = await startTasks(agent, ROUNDS);
    await requestsOf(agent, 1);
    await wait(50);
    agent.requests[0]?.respond("Done.", used(100));
    const endings = await Promise.all(clients.map(endingOf));
    expect(endings.toSorted()).toEqual(["answered", ...Array.from({ length: ROUNDS - 1 }, () => "budget")]);
    expect(agent.requests).toHaveLength(1);
    const rejected = clients.find((_, index) => endings[index] === "budget");
    expect((await rejected?.take("alert"))?.data["message"]).toBe(
      "Too many tokens were used today (limit: 100). Try again tomorrow.",
    );
  });

  test("limits runs in the same process and over the socket together", async () => {
    const agent = await startAgent({ budgets: { userPerDay: 100 } });
    const user = { id: "ada" };
    const runs = Array.from({ length: ROUNDS / 2 }, () => agent.server.run("Go", { user }));
    const clients = await startTasks(agent, ROUNDS / 2);
    await requestsOf(agent, 1);
    agent.requests[0]?.respond("Done.", used(100));
    const results = await Promise.all(runs);
    const endings = [...results.map(({ reason }) => reason), ...(await Promise.all(clients.map(endingOf)))];
    expect(endings.filter((ending) => ending === "answered")).toHaveLength(1);
    expect(agent.requests).toHaveLength(1);
  });

  test("that has room for several requests does not delay them", async () => {
    const agent = await startAgent({ maxContext: 3_000, budgets: { userPerDay: 4_000 } });
    const clients = await startTasks(agent, 5);
    await requestsOf(agent, 4);
    await wait(50);
    expect(agent.requests).toHaveLength(4);
    agent.requests[0]?.respond("Done.", used(1_000));
    await wait(50);
    // The first response has used the tokens that were reserved for it.
    expect(agent.requests).toHaveLength(4);
    agent.requests[1]?.respond("Done.", used(1));
    agent.requests[2]?.respond("Done.", used(1));
    await requestsOf(agent, 5);
    for (const { respond } of agent.requests) respond("Done.", used(1));
    expect(new Set(await Promise.all(clients.map(endingOf)))).toEqual(new Set(["answered"]));
    expect(agent.most()).toBe(4);
  });

  test("does not delay other users", async () => {
    const agent = await startAgent({ budgets: { userPerDay: 100 } });
    await startTasks(agent, 3, "ada");
    await requestsOf(agent, 1);
    await startTasks(agent, 1, "bob");
    await requestsOf(agent, 2);
  });

  test("counts requests that are interrupted before their response has started", async () => {
    const agent = await startAgent({ maxContext: 8_000, budgets: { userPerDay: 2_000 } });
    const user = { id: "ada" };
    const text = "x".repeat(4_000);
    const endings: string[] = [];
    while (endings.at(-1) !== "budget" && endings.length < 10) {
      const stop = new AbortController();
      const before = agent.requests.length;
      let isOver = false;
      const run = agent.server.run(text, { user, signal: stop.signal }).finally(() => void (isOver = true));
      await expect.poll(() => isOver || agent.requests.length > before).toBe(true);
      stop.abort();
      endings.push((await run).reason);
    }
    expect(endings).toEqual(["interrupted", "interrupted", "budget"]);
  });

  test("gets the reservation of a failed or interrupted response back", async () => {
    const agent = await startAgent({ budgets: { userPerDay: 20_000 } });
    const clients = await startTasks(agent, 3);
    await requestsOf(agent, 1);
    agent.requests[0]?.fail(new Error("The model failed."));
    await requestsOf(agent, 2);
    const endings = Promise.all(clients.map(endingOf));
    for (const [index, client] of clients.entries())
      client.send({ type: "interrupt", data: { taskId: `ada-${index}` } });
    // A run that waits for tokens can be interrupted, too.
    expect((await endings).toSorted()).toEqual(["error", "interrupted", "interrupted"]);
    const [another] = await startTasks(agent, 1, "ada");
    await expect.poll(() => agent.requests.length).toBeGreaterThan(2);
    agent.requests.at(-1)?.respond("Done.", used(1));
    expect(another && (await endingOf(another))).toBe("answered");
  });

  test("keeps its counts after a crash, and no reservation", async () => {
    const agent = await startAgent({ budgets: { userPerDay: 100 } });
    const [client] = await startTasks(agent, 1);
    await requestsOf(agent, 1);
    agent.requests[0]?.respond("Done.", used(60));
    await client?.take("conversationOver");
    await startTasks(agent, 2, "ada");
    await requestsOf(agent, 2);
    // The files of a server that is still running are those of a crash.
    const storage = temporaryFolder();
    cpSync(agent.storage, storage, { recursive: true });
    const after = await startAgent({ budgets: { userPerDay: 100 } }, storage);
    const user = { id: "ada" };
    const runs = Array.from({ length: ROUNDS }, () => after.server.run("Go", { user }));
    await requestsOf(after, 1);
    after.requests[0]?.respond("Done.", used(60));
    const endings = (await Promise.all(runs)).map(({ reason }) => reason);
    expect(endings.filter((reason) => reason === "answered")).toHaveLength(1);
  });
});

test("parallel subtasks share the budget of their run", async () => {
  const tasklist = Array.from({ length: 8 }, (_, index) => `Task ${index}`);
  const agent = await startAgent({ budgets: { run: 100 } });
  const run = agent.server.run("Go", { user: { id: "ada" } });
  await requestsOf(agent, 1);
  const items = tasklist.map((task) => `<task>${task}</task>`).join("");
  agent.requests[0]?.respond(used(50), `<assignTasks><tasklist>${items}</tasklist></assignTasks>`);
  await requestsOf(agent, 2);
  await wait(50);
  agent.requests[1]?.respond("Done.", used(50));
  expect((await run).reason).toBe("budget");
  expect([agent.requests.length, agent.most()]).toEqual([2, 1]);
});
