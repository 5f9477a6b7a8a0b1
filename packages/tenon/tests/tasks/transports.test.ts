import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type Endpoint, FACES, read } from "../../../../tests/support/http-faces.js";
import { allMessages, readEvents } from "../../../../tests/support/http-events.js";
import { modernPost, openSession } from "../../../../tests/support/http-messages.js";
import { line, openStreams } from "../../../../tests/support/stdio-streams.js";
import { form } from "../../src/index.js";
import { META } from "../../src/protocol/index.js";
import {
  CAPABILITIES,
  DECLARED,
  MISSING_EXTENSION,
  MODERN,
  taskServer,
} from "../support/tasks/task-client.js";

const newServer = () =>
  taskServer()
    .tool("double", {
      task: "optional",
      input: z.object({ value: z.number() }),
      handler: ({ value }) => String(value * 2),
    })
    .tool("greet", {
      task: "required",
      async handler(_args, call) {
        const schema = z.object({ name: z.string() });
        const answer = await call.input("name", form({ message: "Who?", schema }));
        return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello!";
      },
    })
    .build();

/** Sends a request of a client that declares the extension, with the right headers unless told otherwise. */
async function send(
  endpoint: Endpoint,
  method: string,
  params: JsonObject,
  extras: { readonly name?: string | undefined; readonly capabilities?: JsonObject } = {},
) {
  const name = "name" in extras ? extras.name : String(params["taskId"] ?? params["name"]);
  const { capabilities = CAPABILITIES } = extras;
  const headers = { "mcp-name": name };
  return read(await endpoint.fetch(modernPost(method, params, { capabilities, headers })));
}

type Result = { readonly result: JsonObject };

async function createOver(endpoint: Endpoint, name: string, args: JsonObject = {}): Promise<string> {
  const { status, body } = await send(endpoint, "tools/call", { name, arguments: args });
  expect(status).toBe(200);
  expect((body as Result).result["resultType"]).toBe("task");
  return String((body as Result).result["taskId"]);
}

function untilOver(endpoint: Endpoint, taskId: string, status: string): Promise<JsonObject> {
  return vi.waitFor(
    async () => {
      const { body } = await send(endpoint, "tasks/get", { taskId });
      expect((body as Result).result["status"]).toBe(status);
      return (body as Result).result;
    },
    { timeout: 30_000, interval: 5 },
  );
}

describe.each(FACES)("over $name", (face) => {
  test("a task is created, answered, and read by separate requests", async () => {
    const endpoint = await face.open(newServer());
    const taskId = await createOver(endpoint, "greet");
    await untilOver(endpoint, taskId, "input_required");
    const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
    const answered = await send(endpoint, "tasks/update", { taskId, inputResponses });
    expect(answered).toMatchObject({ status: 200, body: { result: { resultType: "complete" } } });
    expect(await untilOver(endpoint, taskId, "completed")).toMatchObject({
      result: { content: [{ type: "text", text: "Hello, Ada!" }] },
    });
    const cancelled = await send(endpoint, "tasks/cancel", { taskId });
    expect(cancelled).toMatchObject({ status: 200, body: { result: { resultType: "complete" } } });
  });

  test("a missing declaration has the status 400", async () => {
    const endpoint = await face.open(newServer());
    const taskId = await createOver(endpoint, "double", { value: 4 });
    const requests: [string, JsonObject][] = [
      ["tools/call", { name: "greet", arguments: {} }],
      ["tasks/get", { taskId }],
      ["tasks/get", { taskId: "unknown" }],
      ["tasks/update", { taskId, inputResponses: {} }],
      ["tasks/cancel", { taskId }],
      ["subscriptions/listen", { notifications: { taskIds: [taskId] } }],
    ];
    for (const [method, params] of requests) {
      const { status, body } = await send(endpoint, method, params, { capabilities: {} });
      expect({ method, status }).toEqual({ method, status: 400 });
      expect(body["error"]).toMatchObject({ code: -32021, data: MISSING_EXTENSION });
    }
  });

  test("an unknown task has the status 200 and the code -32602", async () => {
    const endpoint = await face.open(newServer());
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { status, body } = await send(endpoint, method, { taskId: "unknown", inputResponses: {} });
      expect(status).toBe(200);
      expect(body["error"]).toMatchObject({ code: -32602 });
    }
  });

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])("%s needs the header Mcp-Name", async (method) => {
    const endpoint = await face.open(newServer());
    const taskId = await createOver(endpoint, "greet");
    const params = { taskId, inputResponses: {} };
    for (const name of [undefined, "another", taskId.toLowerCase()]) {
      const { status, body } = await send(endpoint, method, params, { name });
      expect({ name, status }).toEqual({ name, status: 400 });
      expect(body["error"]).toMatchObject({ code: -32020 });
    }
    const encoded = `=?base64?${btoa(taskId)}?=`;
    expect(await send(endpoint, method, params, { name: encoded })).toMatchObject({ status: 200 });
  });

  test("a wrong Mcp-Method has the status 400", async () => {
    const endpoint = await face.open(newServer());
    const taskId = await createOver(endpoint, "double", { value: 4 });
    const headers = { "mcp-name": taskId, "mcp-method": "tasks/cancel" };
    const init = modernPost("tasks/get", { taskId }, { capabilities: DECLARED, headers });
    const { status, body } = await read(await endpoint.fetch(init));
    expect(status).toBe(400);
    expect(body["error"]).toMatchObject({ code: -32020 });
  });

  test.each(["tasks/result", "tasks/list"])("%s has the status 404", async (method) => {
    const endpoint = await face.open(newServer());
    const taskId = await createOver(endpoint, "double", { value: 4 });
    const { status, body } = await send(endpoint, method, { taskId });
    expect(status).toBe(404);
    expect(body["error"]).toMatchObject({ code: -32601 });
  });

  test("a legacy session runs the tool in its request", async () => {
    const session = await openSession(await face.open(newServer()), { capabilities: CAPABILITIES });
    const [result] = await allMessages(await session.call("double", { value: 4 }));
    expect(result).toMatchObject({ result: { content: [{ text: "8" }] } });
    const [rejected] = await allMessages(await session.call("greet"));
    expect(rejected?.["error"]).toMatchObject({ code: -32021, data: MISSING_EXTENSION });
  });

  test("a listen stream has the changes of a task", async () => {
    const endpoint = await face.open(newServer());
    const taskId = await createOver(endpoint, "greet");
    await untilOver(endpoint, taskId, "input_required");
    const params = { notifications: { taskIds: [taskId, "unknown"] } };
    const init = modernPost("subscriptions/listen", params, { id: "s", capabilities: DECLARED });
    const events = readEvents(await endpoint.fetch(init));
    onTestFinished(() => events.cut());
    const _meta = { [META.subscriptionId]: "s" };
    expect(await events.message()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { taskIds: [taskId] }, _meta },
    });
    expect(await events.message()).toMatchObject({
      method: "notifications/tasks",
      params: { taskId, status: "input_required", _meta },
    });
    const inputResponses = { name: { action: "decline" } };
    await send(endpoint, "tasks/update", { taskId, inputResponses });
    let last: JsonObject = {};
    while (last["status"] !== "completed") last = (await events.message())["params"] as JsonObject;
    const { body } = await send(endpoint, "tasks/get", { taskId });
    const { resultType: _type, _meta: _own, ...task } = (body as Result).result;
    expect(last).toEqual({ ...task, _meta });
  });
});

/** Serves a client over in-memory streams. */
function openStdio() {
  const { input, output, transport } = openStreams(newServer());
  onTestFinished(() => transport.close());
  let lastId = 0;
  const send = (method: string, params: JsonObject): number => {
    const id = ++lastId;
    const _meta = { [META.protocolVersion]: MODERN, [META.clientCapabilities]: CAPABILITIES };
    input.write(line({ id, method, params: { ...params, _meta } }));
    return id;
  };
  const ask = async (method: string, params: JsonObject): Promise<JsonObject> => {
    const id = send(method, params);
    return vi.waitFor(() => {
      const reply = output.messages.find((message) => message.id === id);
      if (reply?.result === undefined) throw new Error(`No result of ${method} yet.`);
      return reply.result;
    });
  };
  const until = (taskId: unknown, status: string) =>
    vi.waitFor(async () => {
      const task = await ask("tasks/get", { taskId });
      expect(task["status"]).toBe(status);
      return task;
    });
  return { output, send, ask, until };
}

describe("over stdio", () => {
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };

  test("a task is created, answered, and read", async () => {
    const { ask, until } = openStdio();
    const { taskId, resultType } = await ask("tools/call", { name: "greet", arguments: {} });
    expect(resultType).toBe("task");
    await until(taskId, "input_required");
    expect(await ask("tasks/update", { taskId, inputResponses })).toMatchObject({ resultType: "complete" });
    expect(await until(taskId, "completed")).toMatchObject({
      result: { content: [{ text: "Hello, Ada!" }] },
    });
    expect(await ask("tasks/cancel", { taskId })).toMatchObject({ resultType: "complete" });
  });

  test("a listen stream shares the channel with responses", async () => {
    const { output, send, ask, until } = openStdio();
    const { taskId } = await ask("tools/call", { name: "greet", arguments: {} });
    await until(taskId, "input_required");
    const id = send("subscriptions/listen", { notifications: { taskIds: [taskId] } });
    const received = () => output.messages.filter(({ method }) => method !== undefined);
    await expect.poll(() => received().length).toBe(2);
    await ask("tasks/update", { taskId, inputResponses });
    await expect.poll(() => received().at(-1)?.params?.["status"]).toBe("completed");
    expect(received().map(({ method }) => method)).toEqual([
      "notifications/subscriptions/acknowledged",
      ...Array<string>(received().length - 1).fill("notifications/tasks"),
    ]);
    for (const { params } of received()) expect(params?.["_meta"]).toEqual({ [META.subscriptionId]: id });
  });
});
