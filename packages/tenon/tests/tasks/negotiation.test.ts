import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { form } from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { type Client, createClient } from "../../src/testing/index.js";
import {
  CAPABILITIES,
  connect,
  errorOf,
  EXTENSION,
  MISSING_EXTENSION,
  MODERN,
  taskServer,
  textOf,
} from "../support/tasks/task-client.js";

const LEGACY = REVISIONS.filter((revision) => revision !== MODERN);

function newServer() {
  const calls: (string | undefined)[] = [];
  const server = taskServer()
    .tool("double", {
      task: "optional",
      input: z.object({ value: z.number() }),
      handler({ value }, call) {
        calls.push(call.taskId);
        return String(value * 2);
      },
    })
    .tool("render", {
      task: "required",
      handler(_args, call) {
        calls.push(call.taskId);
        return "rendered";
      },
    })
    .tool("greet", {
      task: "optional",
      async handler(_args, call) {
        const schema = z.object({ name: z.string() });
        const answer = await call.input("name", form({ message: "Who?", schema }));
        return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello!";
      },
    })
    .build();
  return { server, calls };
}

const double = (client: Client) => client.request("tools/call", { name: "double", arguments: { value: 4 } });

describe.each(REVISIONS)("in revision %s", (revision) => {
  test("an optional task runs in the request of a client without the extension", async () => {
    const { server, calls } = newServer();
    const client = await createClient(server, { revision });
    const result = await double(client);
    expect(textOf(result)).toBe("8");
    expect(result["resultType"]).toBe(revision === MODERN ? "complete" : undefined);
    expect(calls).toEqual([undefined]);
  });

  test("a required task is rejected with -32021 before its handler runs", async () => {
    const { server, calls } = newServer();
    const client = await createClient(server, { revision });
    expect(await errorOf(client.request("tools/call", { name: "render", arguments: {} }))).toEqual({
      code: -32021,
      message: `Tool "render" runs only as a task. The client must declare the extension "${EXTENSION}".`,
      data: MISSING_EXTENSION,
    });
    expect(calls).toEqual([]);
  });

  test("the capability of the older experimental tasks does not count", async () => {
    const { server, calls } = newServer();
    const capabilities = { tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } };
    const client = await createClient(server, { revision, capabilities });
    expect(textOf(await double(client))).toBe("8");
    expect(calls).toEqual([undefined]);
  });

  test("a `task` parameter is ignored", async () => {
    const { server, calls } = newServer();
    const client = await createClient(server, { revision });
    const params = { name: "double", arguments: { value: 4 }, task: { ttl: 5 } };
    expect(textOf(await client.request("tools/call", params))).toBe("8");
    expect(calls).toEqual([undefined]);
  });
});

test.each(REVISIONS.filter((revision) => revision >= "2025-06-18"))(
  "in revision %s, which has elicitation, the same questions are asked in the request",
  async (revision) => {
    const client = await createClient(newServer().server, {
      revision,
      input: () => ({ action: "accept", content: { name: "Ada" } }),
      capabilities: { elicitation: { form: {} } },
    });
    const { content } = await client.callTool("greet", {});
    expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
  },
);

describe.each(LEGACY)("in revision %s, which does not have the extension", (revision) => {
  test("the extension is not declared by the server", async () => {
    const { server } = newServer();
    const client = await createClient(server, { revision, capabilities: CAPABILITIES });
    expect(client.server["capabilities"]).not.toHaveProperty("tasks");
    expect(JSON.stringify(client.server)).not.toContain(EXTENSION);
  });

  test("a client that declares it gets the result in its response", async () => {
    const { server, calls } = newServer();
    const client = await createClient(server, { revision, capabilities: CAPABILITIES });
    expect(textOf(await double(client))).toBe("8");
    expect(calls).toEqual([undefined]);
    expect(await errorOf(client.request("tools/call", { name: "render", arguments: {} }))).toMatchObject({
      code: -32021,
    });
  });

  test.each(["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"])(
    "%s does not exist",
    async (method) => {
      const { server } = newServer();
      const client = await createClient(server, { revision, capabilities: CAPABILITIES });
      const params = { taskId: "t", inputResponses: {} };
      expect(await errorOf(client.request(method, params))).toMatchObject({ code: -32601 });
    },
  );
});

describe("in the modern revision", () => {
  test("the server declares the extension as an empty object, and no older capability", async () => {
    const { client } = await connect(newServer().server);
    const { capabilities } = client.server as { readonly capabilities: JsonObject };
    expect(capabilities["extensions"]).toEqual({ [EXTENSION]: {} });
    expect(capabilities).not.toHaveProperty("tasks");
  });

  test("each request is judged by its own declaration", async () => {
    const { server, calls } = newServer();
    const declared = await connect(server);
    const taskId = await declared.create("double", { value: 4 });
    await declared.settled(taskId);
    expect(calls).toEqual([taskId]);

    const plain = await createClient(server, { revision: MODERN });
    expect(textOf(await double(plain))).toBe("8");
    expect(await errorOf(plain.request("tasks/get", { taskId }))).toMatchObject({ code: -32021 });
    await expect(declared.get(taskId)).resolves.toMatchObject({ status: "completed" });
  });

  test.each([true, "yes", null, [], 1])("the declaration %o does not count", async (declaration) => {
    const capabilities = { extensions: { [EXTENSION]: declaration } } as never;
    const client = await createClient(newServer().server, { revision: MODERN, capabilities });
    expect(textOf(await double(client))).toBe("8");
  });

  test("a `task` parameter does not make a task of a call without the declaration, nor prevent one", async () => {
    const { server } = newServer();
    const declared = await connect(server);
    const more = { task: { ttl: 5, pollInterval: 9 } };
    expect(await declared.call("double", { value: 4 }, more)).toMatchObject({
      resultType: "task",
      ttlMs: 3_600_000,
      pollIntervalMs: 5,
    });
  });

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])(
    "%s needs the declaration, for known and unknown IDs",
    async (method) => {
      const { server } = newServer();
      const declared = await connect(server);
      const known = await declared.create("double", { value: 4 });
      const plain = await createClient(server, { revision: MODERN, capabilities: { elicitation: {} } });
      for (const taskId of [known, "unknown", "x".repeat(10_000)]) {
        expect(await errorOf(plain.request(method, { taskId, inputResponses: {} }))).toEqual({
          code: -32021,
          message: `The client must declare the extension "${EXTENSION}" in this request.`,
          data: MISSING_EXTENSION,
        });
      }
    },
  );

  test.each(["tasks/get", "tasks/update", "tasks/cancel"])("%s checks its parameters", async (method) => {
    const { client } = await connect(newServer().server);
    expect(await errorOf(client.request(method, { inputResponses: {} }))).toEqual({
      code: -32602,
      message: "`taskId` must be a string; got undefined.",
    });
    expect(await errorOf(client.request(method, { taskId: 7, inputResponses: {} }))).toEqual({
      code: -32602,
      message: "`taskId` must be a string; got a number.",
    });
    expect(await errorOf(client.request(method, { taskId: "unknown", inputResponses: {} }))).toEqual({
      code: -32602,
      message: "Unknown task. It may have expired.",
    });
  });

  test.each([[undefined], [null], ["yes"], [[]]])("`inputResponses` cannot be %o", async (inputResponses) => {
    const { client, create } = await connect(newServer().server);
    const taskId = await create("greet");
    const { code, message } = await errorOf(client.request("tasks/update", { taskId, inputResponses }));
    expect(code).toBe(-32602);
    expect(message).toMatch(/^`inputResponses` must be an object; got /);
  });

  test.each(["tasks/result", "tasks/list"])("%s does not exist", async (method) => {
    const { client, create } = await connect(newServer().server);
    const taskId = await create("double", { value: 4 });
    expect(await errorOf(client.request(method, { taskId }))).toMatchObject({ code: -32601 });
  });

  test("the handler's call has the client's data, without the protocol's own keys", async () => {
    const seen: unknown[] = [];
    const server = taskServer()
      .tool("look", {
        task: "optional",
        handler(_args, call) {
          const { name, revision, capabilities } = call.client;
          seen.push(call.taskId, call.meta, name, revision, capabilities, call.client.supports("form"));
          return "";
        },
      })
      .build();
    const { create, settled } = await connect(server);
    const _meta = { traceparent: "00-1", progressToken: 3, "com.example/tenant": "a" };
    const taskId = await create("look", {}, { _meta });
    await settled(taskId);
    expect(seen).toEqual([
      taskId,
      { traceparent: "00-1", "com.example/tenant": "a" },
      "tenon",
      MODERN,
      CAPABILITIES,
      true,
    ]);
  });
});
