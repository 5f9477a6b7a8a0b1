/**
 * @fileoverview Process that knows only the address of a server and the ID of a task. It waits for the task with the
 * official client and prints the outcome.
 * @module tests/clients/support/resume-fixture
 */
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { TaskId } from "@modelcontextprotocol/ext-tasks/core";
import { ANSWERS } from "../../../tools/official-clients/official-client.js";
import { connectTasksClient, ENDPOINT_ID } from "../../../tools/official-clients/tasks-client.js";

const [, , url = "", taskId = ""] = process.argv;
const client = await connectTasksClient(new StreamableHTTPClientTransport(new URL(url)), {
  onInputRequest: async () => ANSWERS.elicitation as never, // the task asks only for a name
});
const execution = await client.session.resumeTask({
  endpointId: ENDPOINT_ID,
  generation: "v2",
  taskId: taskId as TaskId,
  originalOperation: "tools/call",
});
const { outcome } = await execution.settle();
process.stdout.write(JSON.stringify(outcome));
await client.close();
