import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { exchangeOf, handle, modernRequest } from "../../../../tests/support/requests.js";
import type { Server } from "../../src/core/server.js";
import type { Auth } from "../../src/core/wire/exchange.js";
import { form } from "../../src/index.js";
import { META } from "../../src/protocol/index.js";
import { accept, CAPABILITIES, connect, taskServer, textOf } from "../support/tasks/task-client.js";

const ADA: Auth = { principal: "ada", scopes: ["read"], subject: "u1", clientId: "c1" };
const EVE: Auth = { principal: "eve", scopes: ["read", "admin"] };
const METHODS = ["tasks/get", "tasks/update", "tasks/cancel"];

const newServer = () =>
  taskServer()
    .tool("greet", {
      task: "optional",
      async handler(_args, call) {
        const answer = await call.input(
          "name",
          form({ message: "?", schema: z.object({ name: z.string() }) }),
        );
        return `${call.auth?.principal ?? "nobody"}: ${answer.action}`;
      },
    })
    .tool("who", { task: "optional", handler: (_args, call) => JSON.stringify(call.auth ?? null) })
    .build();

/** Sends a request with the same ID each time, and returns the exact text of the reply. */
async function textReply(server: Server, method: string, params: JsonObject, auth?: Auth): Promise<string> {
  const _meta = { [META.clientCapabilities]: CAPABILITIES };
  const message = modernRequest(method, { ...params, _meta });
  const response = await handle(server, message, exchangeOf({ era: "modern" }, { auth }));
  return response.toText();
}

describe("the owner of a task", () => {
  test.each(METHODS)("%s: strangers get the same bytes as for an unknown ID", async (method) => {
    const server = newServer();
    const { create, until, get } = await connect(server, { auth: ADA });
    const taskId = await create("greet");
    const task = await until(taskId, "input_required");
    const inputResponses = { name: accept({ name: "Eve" }), other: 1 };
    const unknown = await textReply(server, method, { taskId: "A".repeat(24), inputResponses }, EVE);
    expect(JSON.parse(unknown)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32602, message: "Unknown task. It may have expired." },
    });
    for (const auth of [EVE, undefined, { ...EVE, principal: "" }, { ...ADA, principal: "Ada" }])
      expect(await textReply(server, method, { taskId, inputResponses }, auth)).toBe(unknown);
    for (const id of ["", "x".repeat(100_000), "../../etc/passwd", "__proto__"])
      expect(await textReply(server, method, { taskId: id, inputResponses }, ADA)).toBe(unknown);
    // Nothing has changed for the owner.
    expect(await get(taskId)).toEqual(task);
  });

  test("an invalid answer of a stranger tells nothing about the question", async () => {
    const server = newServer();
    const { create, until } = await connect(server, { auth: ADA });
    const taskId = await create("greet");
    await until(taskId, "input_required");
    const inputResponses = { name: "invalid" };
    const unknown = await textReply(server, "tasks/update", { taskId: "nope", inputResponses }, EVE);
    expect(await textReply(server, "tasks/update", { taskId, inputResponses }, EVE)).toBe(unknown);
  });

  test("a task without an owner is not visible to an authenticated caller", async () => {
    const server = newServer();
    const { create, get } = await connect(server);
    const taskId = await create("greet");
    const unknown = await textReply(server, "tasks/get", { taskId: "nope" }, EVE);
    expect(await textReply(server, "tasks/get", { taskId }, EVE)).toBe(unknown);
    expect((await get(taskId)).taskId).toBe(taskId);
  });

  test("the owner can use another connection, with other scopes", async () => {
    const server = newServer();
    const { create, until } = await connect(server, { auth: ADA });
    const taskId = await create("greet");
    await until(taskId, "input_required");
    const other = await connect(server, { auth: { principal: "ada", scopes: [] } });
    await other.answer(taskId, { name: accept({ name: "Ada" }) });
    expect(textOf((await other.settled(taskId)).result)).toBe("ada: accept");
  });

  test("the handler sees the caller that created the task", async () => {
    const { run } = await connect(newServer(), { auth: ADA });
    expect(JSON.parse(textOf((await run("who")).result) ?? "")).toEqual(ADA);
    const anonymous = await connect(newServer());
    expect(textOf((await anonymous.run("who")).result)).toBe("null");
  });

  test("a listen stream leaves out the tasks of others", async () => {
    const server = newServer();
    const ada = await connect(server, { auth: ADA });
    const eve = await connect(server, { auth: EVE });
    const hers = await ada.create("greet");
    const own = await eve.create("greet");
    const stream = eve.client.listen({ taskIds: [hers, own, "unknown"] });
    onTestFinished(() => stream.stop());
    await expect.poll(() => eve.client.notifications.length, { interval: 2 }).toBeGreaterThanOrEqual(2);
    const [acknowledged, ...changes] = eve.client.notifications;
    expect(acknowledged?.params).toMatchObject({ notifications: { taskIds: [own] } });
    await ada.until(hers, "input_required");
    await ada.cancel(hers);
    await eve.cancel(own);
    await eve.settled(own);
    expect(new Set(changes.map(({ params }) => params?.["taskId"]))).toEqual(new Set([own]));
    expect(JSON.stringify(eve.client.notifications)).not.toContain(hers);
  });

  test("scopes are checked when the task is created", async () => {
    const server = taskServer()
      .tool("secret", { task: "optional", scopes: ["admin"], handler: () => "42" })
      .build();
    const eve = await connect(server, { auth: EVE });
    expect(textOf((await eve.run("secret")).result)).toBe("42");
    const ada = await connect(server, { auth: ADA });
    await expect(ada.call("secret")).rejects.toThrow('Tool "secret" requires these scopes: admin.');
  });
});
