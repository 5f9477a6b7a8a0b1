import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import type { Server as Official } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, type Request } from "@modelcontextprotocol/sdk/types.js";
import { serve } from "tenon/node";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { McpServer, Server } from "../../src/index.js";

test("Server is the official type, and can be served", () => {
  const server = new Server({ name: "a", version: "1" }, { capabilities: { tools: {} }, instructions: "b" });
  expectTypeOf(server).toExtend<Official>();
  expectTypeOf(serve).toBeCallableWith(server);
  server.setRequestHandler(CallToolRequestSchema, (request, extra) => {
    expectTypeOf(request.params.name).toEqualTypeOf<string>();
    expectTypeOf(extra.signal).toEqualTypeOf<AbortSignal>();
    return { content: [] };
  });
  // @ts-expect-error -- the handler must return a result
  server.setRequestHandler(CallToolRequestSchema, () => 5);
});

test("Server takes the official type parameters", () => {
  interface Question extends Request {
    method: "example/question";
  }
  const server = new Server<Question>({ name: "a", version: "1" });
  expectTypeOf(server).toExtend<Official<Question>>();
});

test("registerToolTask infers the arguments from the schema", () => {
  const taskStore = new InMemoryTaskStore();
  const server = new McpServer({ name: "a", version: "1" }, { taskStore, capabilities: { tasks: {} } });
  server.experimental.tasks.registerToolTask(
    "a",
    { inputSchema: { n: z.number() }, execution: { taskSupport: "optional" } },
    {
      async createTask({ n }, extra) {
        expectTypeOf(n).toEqualTypeOf<number>();
        return { task: await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl ?? null }) };
      },
      getTask: (_, { taskId, taskStore: store }) => store.getTask(taskId),
      getTaskResult: async (_, { taskId, taskStore: store }) =>
        (await store.getTaskResult(taskId)) as { content: [] },
    },
  );
});
