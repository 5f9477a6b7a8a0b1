/**
 * @fileoverview Scenario for the example with tasks that ask the user and the client's model.
 * @module tools/official-examples/scenarios/tasks
 */
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { ExampleClient, overHttp } from "../example-client.js";
import { type HttpScenario, listTools } from "./scenario.js";

/** Calls a tool as a task, as one step. Returns the task's ID. */
export async function callAsTask(
  connected: ExampleClient,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  let taskId = "";
  await connected.step(`${name} as a task ${JSON.stringify(args)}`, async (client) => {
    const stream = client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, {
      task: { ttl: 60_000 },
    });
    const messages: unknown[] = [];
    for await (const message of stream) {
      if (message.type === "taskCreated") taskId = message.task.taskId;
      // The number of status messages depends on the time that a poll takes.
      if (message.type !== "taskStatus") messages.push(message);
    }
    return messages;
  });
  return taskId;
}

/** Tasks whose requests the client receives while it waits for the result. */
export const simpleTaskInteractive: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const connected = await ExampleClient.connect(overHttp(`${origin}/mcp`), {
      capabilities: { elicitation: { form: {} }, sampling: {} },
      elicitation: [{ action: "accept", content: { confirm: true } }, { action: "decline" }],
      sampling: { model: "example-model", role: "assistant", content: { type: "text", text: "Old pond" } },
    });
    await listTools(connected);
    await callAsTask(connected, "confirm_delete", { filename: "notes.txt" });
    const declined = await callAsTask(connected, "confirm_delete", {});
    await callAsTask(connected, "write_haiku", { topic: "frogs" });
    await connected.step("tasks/get", (client) => client.experimental.tasks.getTask(declined));
    await connected.rejected("tasks/get of an unknown task", (client) =>
      client.experimental.tasks.getTask("unknown"),
    );
    await connected.rejected("write_haiku without a task", (client) =>
      client.request({ method: "tools/call", params: { name: "write_haiku" } }, CallToolResultSchema),
    );
    return connected.close();
  },
};
