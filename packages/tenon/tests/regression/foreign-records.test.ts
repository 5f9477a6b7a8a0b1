import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, onTestFinished, test } from "vitest";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { type EventReader, readEvents } from "../../../../tests/support/http-events.js";
import { type Endpoint, FETCH, read } from "../../../../tests/support/http-faces.js";
import { type LegacyClient, modernPost, openSession } from "../../../../tests/support/http-messages.js";
import { request } from "../../../../tests/support/requests.js";
import { systemPorts } from "@tenon/internal/ports";
import { KeyRing } from "../../src/core/call/key-ring.js";
import { createRecordSealer } from "../../src/core/call/record-sealer.js";
import { defineServer } from "../../src/core/define-server.js";
import { createTool } from "../../src/grouped/index.js";
import { createTaskEngine, type TaskEngine, tasks } from "../../src/tasks/index.js";
import { moveTo } from "../support/session/shared/nodes.js";
import { CAPABILITIES } from "../support/tasks/task-client.js";
import { expectNewScopesApply, expectResultsApart } from "../support/isolation/keyed-calls.js";
import {
  as,
  authenticate,
  createServer,
  createTask,
  type IsolatedOptions,
  send,
} from "../support/isolation/servers.js";

/** Records were found without a check of the server that wrote them, and of the scopes that their tool requires. */

const KEYS = ["a key of the operator with 32 bytes"];

async function start(options: IsolatedOptions = {}, store?: SharedStore) {
  const { server, release } = createServer({ ...options, ...(store && { store }) });
  const endpoint = await FETCH.open(server, { authenticate, ...(store && { store }) });
  onTestFinished(() => release());
  onTestFinished(() => server.close());
  return { server, endpoint, release };
}

/** Returns the same client on a different server. */
const on = ({ endpoint }: { readonly endpoint: Endpoint }, client: LegacyClient) =>
  moveTo({ endpoint }, client);

const METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const;
const ADA = as("ada", "admin");
const LESS = as("ada");
const params = (taskId: string): JsonObject => ({ taskId, inputResponses: {} });

/** Expects that a caller cannot tell a task from one that does not exist. */
async function expectHidden(endpoint: Endpoint, headers: Record<string, string>, taskId: string) {
  for (const method of METHODS) {
    const unknown = await send(endpoint, headers, method, params("A".repeat(24)));
    expect(unknown.body["error"]).toMatchObject({ message: "Unknown task. It may have expired." });
    expect(await send(endpoint, headers, method, params(taskId))).toEqual(unknown);
  }
  const listened = await endpoint.fetch(
    modernPost(
      "subscriptions/listen",
      { notifications: { taskIds: [taskId] } },
      { capabilities: CAPABILITIES, headers },
    ),
  );
  const stream = readEvents(listened);
  expect(await stream.message()).toMatchObject({ params: { notifications: { taskIds: [] } } });
  await stream.cut();
}

const statusOf = async (endpoint: Endpoint, headers: Record<string, string>, taskId: string) => {
  const { body } = await send(endpoint, headers, "tasks/get", params(taskId));
  return (body["result"] as JsonObject | undefined)?.["status"];
};

describe("a session on a store that servers with different names share", () => {
  const startPair = async () => {
    const store = createMemoryStore();
    const server = { state: { keys: KEYS } };
    return {
      store,
      one: await start({ name: "one", server }, store),
      two: await start({ name: "two", server }, store),
    };
  };

  test("does not exist for the other server", async () => {
    const { one, two } = await startPair();
    const client = await openSession(one.endpoint, { headers: as("ada") });
    const foreign = on(two, client);
    const unknown = on(two, {
      ...client,
      headers: { ...client.headers, "mcp-session-id": "A".repeat(32) },
    });
    for (const use of ["call", "get", "end"] as const) {
      const [got, absent] = [await foreign[use]("echo"), await unknown[use]("echo")];
      expect(got.status).toBe(404);
      expect(await read(got)).toEqual(await read(absent));
    }
    expect((await client.call("echo", { text: "still there" })).status).toBe(200);
  });

  test("belongs to all nodes of its own server, whatever their version is", async () => {
    const { store, one } = await startPair();
    const client = await openSession(one.endpoint, { headers: as("ada") });
    const next = await start({ name: "one", server: { version: "2.0.0", state: { keys: KEYS } } }, store);
    const moved = on(next, client);
    expect((await moved.call("echo", { text: "hi" })).status).toBe(200);
  });

  test("that an earlier version stored without a name can be used by its server", async () => {
    const { store, one } = await startPair();
    const client = await openSession(one.endpoint, { headers: as("ada") });
    const sealer = createRecordSealer(new KeyRing(systemPorts, KEYS));
    const key = client.id.slice(0, 16);
    const entry = (await store.sessions.get(key)) ?? expect.unreachable();
    const { server, ...old } = JSON.parse(
      (await sealer.open(entry.value, `session/${key}`)) ?? "{}",
    ) as JsonObject;
    expect(server).toBe("one");
    await store.sessions.set(key, await sealer.seal(JSON.stringify(old), `session/${key}`), {
      ttlMs: 60_000,
    });
    expect((await client.call("echo", { text: "hi" })).status).toBe(200);
  });
});

test("the state of a call is useless on a server with a different name and the same keys", async () => {
  const server = { state: { keys: KEYS } };
  const [one, two] = [await start({ name: "one", server }), await start({ name: "two", server })];
  const ask = async ({ endpoint }: { endpoint: Endpoint }, more: JsonObject = {}) => {
    const request = modernPost(
      "tools/call",
      { name: "ask", arguments: {}, ...more },
      {
        capabilities: { elicitation: { form: {} } },
        headers: as("ada"),
      },
    );
    return (await read(await endpoint.fetch(request))).body;
  };
  const { requestState } = (await ask(one))["result"] as JsonObject;
  const more = { requestState, inputResponses: { name: { action: "decline" } } };
  expect(await ask(two, more)).toMatchObject({
    error: { message: "`requestState` is invalid or expired. Start the call again without it." },
  });
  expect(await ask(one, more)).toMatchObject({ result: { content: [{ text: "one: decline" }] } });
});

test("a task in an engine that servers with different names share is hidden from the other server", async () => {
  const engine: TaskEngine = createTaskEngine();
  const [one, two] = [
    await start({ name: "one", tasks: { engine } }),
    await start({ name: "two", tasks: { engine } }),
  ];
  for (const headers of [ADA, {}]) {
    const taskId = await createTask(one.endpoint, headers, "ask");
    await expect.poll(() => statusOf(one.endpoint, headers, taskId)).toBe("input_required");
    await expectHidden(two.endpoint, headers, taskId);
    expect(await statusOf(one.endpoint, headers, taskId)).toBe("input_required");
  }
  await engine.close();
});

describe("a task of a tool that requires a scope", () => {
  test("is hidden from a token of the same principal without the scope", async () => {
    const { endpoint } = await start();
    const taskId = await createTask(endpoint, ADA, "secret");
    await expect.poll(() => statusOf(endpoint, ADA, taskId)).toBe("completed");
    await expectHidden(endpoint, LESS, taskId);
    await expectHidden(endpoint, as("eve", "admin"), taskId);
    expect(await statusOf(endpoint, as("ada", "other", "admin"), taskId)).toBe("completed");
  });

  test("stays hidden on a server that no longer has the tool, and is visible with the scope", async () => {
    const engine = createTaskEngine();
    const { endpoint } = await start({ tasks: { engine } });
    const taskId = await createTask(endpoint, ADA, "secret");
    await expect.poll(() => statusOf(endpoint, ADA, taskId)).toBe("completed");
    const next = await start({ hasSecret: false, tasks: { engine } });
    await expectHidden(next.endpoint, LESS, taskId);
    expect(await statusOf(next.endpoint, ADA, taskId)).toBe("completed");
  });

  test("of a grouped tool requires the scopes of its action, not those of other actions", async () => {
    const tool = createTool("users")
      .action({ name: "list", task: "required", handler: () => "none" })
      .action({ name: "ban", task: "required", scopes: ["admin"], handler: () => "banned" });
    const server = defineServer({ name: "users", version: "1.0.0" }).extension(tasks()).tools(tool).build();
    const endpoint = await FETCH.open(server, { authenticate });
    onTestFinished(() => server.close());
    const [listed, banned] = [
      await createTask(endpoint, ADA, "users", { action: "list" }),
      await createTask(endpoint, ADA, "users", { action: "ban" }),
    ];
    for (const taskId of [listed, banned])
      await expect.poll(() => statusOf(endpoint, ADA, taskId)).toBe("completed");
    await expectHidden(endpoint, LESS, banned);
    expect(await statusOf(endpoint, LESS, listed)).toBe("completed");
  });

  test("requires the scopes that the tool has in a newer version", async () => {
    const engine = createTaskEngine();
    const { endpoint } = await start({ scopes: [], tasks: { engine } });
    const taskId = await createTask(endpoint, LESS, "secret");
    await expect.poll(() => statusOf(endpoint, LESS, taskId)).toBe("completed");
    const next = await start({ tasks: { engine } });
    await expectHidden(next.endpoint, LESS, taskId);
    expect(await statusOf(next.endpoint, ADA, taskId)).toBe("completed");
  });
});

describe.each([
  ["in one process", () => undefined],
  ["on a shared store", () => createMemoryStore()],
])("the stream of a call that required a scope, %s", (_where, createStore) => {
  test("cannot be resumed with a token without the scope, and looks like one that is gone", async () => {
    const { endpoint, release } = await start({}, createStore());
    const client = await openSession(endpoint, { headers: ADA });
    const stream = readEvents(await client.call("slow"));
    const lastEventId = (await stream.next())?.id ?? "";
    await stream.message();
    await stream.cut();
    release();
    const moved = (headers: Record<string, string>) =>
      endpoint.fetch({
        method: "GET",
        headers: { ...client.headers, ...headers, accept: "text/event-stream", "last-event-id": lastEventId },
      });
    const refused = await moved(LESS);
    expect([refused.status, await refused.text()]).toEqual([204, ""]);
    const resumed = readEvents(await moved(ADA));
    await expect.poll(async () => JSON.stringify(await resumed.message())).toContain("42 from the slow tool");
    await resumed.cut();
  });
});

describe.each([
  ["in one process", () => undefined],
  ["on a shared store", () => createMemoryStore()],
])("updates of a resource that requires a scope, %s", (_where, createStore) => {
  test("do not reach a client of the session that listens or reconnects without the scope", async () => {
    const { server, endpoint } = await start({}, createStore());
    const client = await openSession(endpoint, { headers: ADA });
    for (const uri of ["test://vault", "test://news"])
      await client.post(request("resources/subscribe", { uri })).then((response) => response.text());
    const listen = async (headers: Record<string, string>, lastEventId?: string) => {
      const resumed = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
      const all = { ...client.headers, ...headers, ...resumed, accept: "text/event-stream" };
      return readEvents(await endpoint.fetch({ method: "GET", headers: all }));
    };
    const updateBoth = () =>
      Promise.all([server.resourceUpdated("test://vault"), server.resourceUpdated("test://news")]);
    const uriOf = async (stream: EventReader) => ((await stream.message())["params"] as JsonObject)["uri"];

    const allowed = await listen(ADA);
    const { id: first = "" } = (await allowed.next()) ?? {};
    await updateBoth();
    expect([await uriOf(allowed), await uriOf(allowed)]).toEqual(["test://vault", "test://news"]);
    await allowed.cut();
    // What is sent again, and what is new.
    const less = await listen(LESS, first);
    expect(await uriOf(less)).toBe("test://news");
    await updateBoth();
    expect(await uriOf(less)).toBe("test://news");
    await less.cut();
  });
});

describe("the result of an idempotency key", () => {
  test("is not for callers without the tool's scope, other principals, or servers with different names", () =>
    expectResultsApart(createMemoryStore()));

  test("requires the scopes that the tool has in a newer version", () =>
    expectNewScopesApply(createMemoryStore()));
});
