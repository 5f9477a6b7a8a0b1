import { setImmediate as nextTurn } from "node:timers/promises";
import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createMemoryStore } from "tenon/stores";
import { form } from "../../../src/index.js";
import { allMessages, readEvents } from "../../../../../tests/support/http-events.js";
import { type Endpoint, FETCH, read } from "../../../../../tests/support/http-faces.js";
import { modernCall, modernPost } from "../../../../../tests/support/http-messages.js";
import { CAPABILITIES, taskServer } from "../../support/tasks/task-client.js";
import { startNode, startNodes, text } from "../../support/session/shared/nodes.js";

const capabilities = { elicitation: {} };
const accepted = (name: string) => ({ name: { action: "accept", content: { name } } });

describe("stateless requests on several nodes", () => {
  test("subscriptions/listen receives the changes of every node, each once", async () => {
    const [a, b] = await startNodes();
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["test://note"] };
    const events = readEvents(
      await a.endpoint.fetch(modernPost("subscriptions/listen", { notifications }, { id: "sub" })),
    );
    expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    void b.server.notifyListChanged("tools");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    void b.server.resourceUpdated("test://page");
    void b.server.resourceUpdated("test://note");
    expect(await events.message()).toMatchObject({ params: { uri: "test://note" } });
    void a.server.notifyListChanged("tools");
    expect(await events.message()).toMatchObject({ method: "notifications/tools/list_changed" });
    a.server.close();
    expect(await events.message()).toMatchObject({ id: "sub" });
  });

  test("subscriptions/listen is acknowledged only when the node follows the changes of others", async () => {
    const store = createMemoryStore();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const slow: typeof store.events = {
      ...store.events,
      // The store has not received the command yet.
      read: (...given) => answered.then(() => store.events.read(...given)),
    };
    const a = await startNode({ store: { ...store, events: slow } });
    const b = await startNode({ store });
    const notifications = { resourceSubscriptions: ["test://note"] };
    let isAcknowledged = false;
    const opened = a.endpoint.fetch(modernPost("subscriptions/listen", { notifications }));
    const first = opened.then(async (response) => {
      const events = readEvents(response);
      expect(await events.message()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
      isAcknowledged = true;
      return events;
    });
    await b.server.resourceUpdated("test://page");
    for (let count = 0; count < 20; count++) await nextTurn();
    expect(isAcknowledged).toBe(false);
    answer();
    const events = await first;
    await b.server.resourceUpdated("test://note");
    expect(await events.message()).toMatchObject({ params: { uri: "test://note" } });
    await events.cut();
  });

  test("changes are delivered by a node that has just started", async () => {
    const store = createMemoryStore();
    const a = await startNode({ store });
    const b = await startNode({ store });
    const seen: string[] = [];
    b.server.onChange(({ kind }) => seen.push(kind));
    void a.server.notifyListChanged("tools");
    await vi.waitFor(() => expect(seen).toEqual(["tools"]));
  });

  test.each([
    { name: "of the store", server: {} },
    { name: "in `state.keys`", server: { state: { keys: ["a key of at least thirty-two bytes!!"] } } },
  ])(
    "the state of a call is encrypted on one node and decrypted on the other with keys $name",
    async ({ server }) => {
      const [a, b] = await startNodes({ server });
      const asked = await read(await a.endpoint.fetch(modernCall("ask", {}, { capabilities })));
      const { requestState } = asked.body["result"] as JsonObject;
      const params = { name: "ask", arguments: {}, requestState, inputResponses: accepted("Ada") };
      const answered = await b.endpoint.fetch(modernPost("tools/call", params, { capabilities }));
      expect(await allMessages(answered)).toMatchObject([{ id: 1, result: text("Hello Ada") }]);
    },
  );

  test("the state of a call from a server with a different store is rejected", async () => {
    const [[a], [b]] = [await startNodes(), await startNodes()];
    const asked = await read(await a.endpoint.fetch(modernCall("ask", {}, { capabilities })));
    const { requestState } = asked.body["result"] as JsonObject;
    const params = { name: "ask", arguments: {}, requestState, inputResponses: accepted("Ada") };
    const { body } = await read(await b.endpoint.fetch(modernPost("tools/call", params, { capabilities })));
    expect(body).toHaveProperty("error");
  });
});

describe("tasks on several nodes", () => {
  const createServer = () =>
    taskServer()
      .tool("greet", {
        task: "required",
        async handler(_args, call) {
          const answer = await call.input(
            "name",
            form({ message: "Who?", schema: z.object({ name: z.string() }) }),
          );
          return answer.action === "accept" ? `Hello ${answer.content.name}` : "Hello";
        },
      })
      .build();
  const start = async () => {
    const store = createMemoryStore();
    return [
      await FETCH.open(createServer(), { store }),
      await FETCH.open(createServer(), { store }),
    ] as const;
  };
  const send = async (endpoint: Endpoint, method: string, params: JsonObject) => {
    const headers = { "mcp-name": String(params["taskId"] ?? params["name"]) };
    const { body } = await read(
      await endpoint.fetch(modernPost(method, params, { capabilities: CAPABILITIES, headers })),
    );
    return body["result"] as JsonObject;
  };
  const create = async (endpoint: Endpoint) =>
    String((await send(endpoint, "tools/call", { name: "greet", arguments: {} }))["taskId"]);
  const until = (endpoint: Endpoint, taskId: string, status: string) =>
    vi.waitFor(
      async () => {
        const task = await send(endpoint, "tasks/get", { taskId });
        expect(task["status"]).toBe(status);
        return task;
      },
      { timeout: 30_000, interval: 5 },
    );

  test("a task is read and answered on a node that did not create it", async () => {
    const [a, b] = await start();
    const taskId = await create(a);
    await until(b, taskId, "input_required");
    await send(b, "tasks/update", { taskId, inputResponses: accepted("Ada") });
    for (const node of [a, b])
      expect(await until(node, taskId, "completed")).toMatchObject({ result: text("Hello Ada") });
  });

  test("a task is cancelled on a node that did not create it", async () => {
    const [a, b] = await start();
    const taskId = await create(a);
    await until(b, taskId, "input_required");
    await send(b, "tasks/cancel", { taskId });
    for (const node of [a, b]) await until(node, taskId, "cancelled");
  });
});
