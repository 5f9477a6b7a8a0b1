import { WebSocket } from "ws";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { AgentServerBuilder, defineMessage } from "../../src/index.js";
import {
  type AgentClient,
  createAgentClient,
  type MessagesOf,
  type TaskMessage,
  type TaskState,
} from "../../src/client/index.js";

const server = new AgentServerBuilder()
  .registerMessage(defineMessage({ type: "note", dataSchema: z.object({ text: z.string() }) }))
  .registerMessage(
    defineMessage({ type: "count", dataSchema: z.object({ n: z.coerce.number().default(1) }) }),
  )
  .build();
type Messages = MessagesOf<typeof server>;

describe("the agent client", () => {
  test("registered messages have the types of the server, before defaults", () => {
    const client = createAgentClient<Messages>({ url: "ws://x", WebSocket });
    client.on("note", (data) => expectTypeOf(data).toEqualTypeOf<{ text: string }>());
    client.post("note", { text: "x" });
    client.post("count", {});
    // @ts-expect-error: `text` is missing
    client.post("note", {});
    // @ts-expect-error: not a registered message
    client.post("other", {});
    // @ts-expect-error: neither built in nor registered
    client.on("other", () => undefined);
  });

  test("built-in messages are typed, and messages of the client cannot be posted", () => {
    const client = createAgentClient({ url: new URL("ws://x") });
    client.on("alert", ({ severity }) =>
      expectTypeOf(severity).toEqualTypeOf<"info" | "warning" | "error">(),
    );
    client.on("taskRemoved", ({ taskId }) => expectTypeOf(taskId).toEqualTypeOf<string>());
    // @ts-expect-error: built-in messages have methods of their own
    client.post("interrupt", { taskId: "x" });
    expectTypeOf(client).toEqualTypeOf<AgentClient>();
    expectTypeOf(client.open("x")).resolves.toEqualTypeOf<TaskState>();
  });

  test("the type of a message tells its data", () => {
    const show = (message: TaskMessage) => {
      if (message.type === "tool") expectTypeOf(message.data.toolName).toEqualTypeOf<string | undefined>();
      if (message.type === "approval") expectTypeOf(message.data.approvalId).toEqualTypeOf<string>();
      if (message.type === "userSendMessage")
        expectTypeOf(message.delivery).toEqualTypeOf<"sending" | "failed" | undefined>();
    };
    expectTypeOf(show).toBeFunction();
  });
});
