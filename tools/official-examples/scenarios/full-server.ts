/**
 * @fileoverview Scenarios for the example that uses most features of the SDK, and for its variant with authorization.
 * @module tools/official-examples/scenarios/full-server
 */
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { ExampleClient, overHttp } from "../example-client.js";
import { logIn } from "./log-in.js";
import { type HttpScenario, listTools, request } from "./scenario.js";
import { callAsTask } from "./tasks.js";

/** Tools, prompts, resources, notifications, forms, and tasks. */
export const simpleStreamableHttp: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const connected = await ExampleClient.connect(overHttp(`${origin}/mcp`), {
      capabilities: { elicitation: { form: {} } },
      elicitation: [
        { action: "accept", content: { name: "Ada", email: "ada@example.com" } },
        { action: "decline" },
        { action: "cancel" },
        { action: "accept", content: { theme: "dark", notifications: true } },
      ],
    });
    await useTools(connected);
    await readDefinitions(connected);
    await useTasks(connected);
    await connected.step("DELETE", async () => {
      // Safe: this scenario connects over this transport.
      const transport = connected.transport as StreamableHTTPClientTransport;
      await transport.terminateSession();
      return { hasSession: transport.sessionId !== undefined };
    });
    return connected.close();
  },
};

/** The same server with `--oauth-strict`: requests without a token are rejected. */
export const simpleStreamableHttpWithOAuth: HttpScenario = {
  kind: "http",
  start: { args: ["--oauth", "--oauth-strict"], hasAuthServer: true },
  async run({ origin, authOrigin }) {
    const url = `${origin}/mcp`;
    const { token } = await logIn(authOrigin, url);
    const connected = await ExampleClient.connect(overHttp(url, { authorization: `Bearer ${token}` }));
    await listTools(connected);
    await connected.call("greet", { name: "Ada" });
    const metadata = await request(`${origin}/.well-known/oauth-protected-resource/mcp`);
    return [await connected.close(), await request(url, { method: "POST" }), metadata];
  },
};

async function useTools(connected: ExampleClient): Promise<void> {
  await listTools(connected);
  await connected.call("greet", { name: "Ada" });
  await connected.call("greet", {});
  await connected.call("multi-greet", { name: "Ada" });
  await connected.receives("notifications/message", 3);
  for (const infoType of ["contact", "preferences", "feedback", "other"])
    await connected.call("collect-user-info", { infoType });
  await connected.call("start-notification-stream", { interval: 5, count: 3 });
  await connected.receives("notifications/message", 6);
  await connected.call("list-files", {});
  await connected.call("list-files", { includeDescriptions: false });
}

async function readDefinitions(connected: ExampleClient): Promise<void> {
  await connected.step("prompts/list", (client) => client.listPrompts());
  await connected.step("prompts/get", (client) =>
    client.getPrompt({ name: "greeting-template", arguments: { name: "Ada" } }),
  );
  const listed = await connected.step("resources/list", (client) => client.listResources());
  for (const { uri } of listed.resources)
    await connected.step(`resources/read ${uri}`, (client) => client.readResource({ uri }));
}

async function useTasks(connected: ExampleClient): Promise<void> {
  const delayed = await callAsTask(connected, "delay", { duration: 50 });
  await callAsTask(connected, "collect-user-info-task", { infoType: "preferences" });
  // Not `callTool`, which rejects the call before it is sent.
  await connected.step("delay without a task", (client) =>
    client.request({ method: "tools/call", params: { name: "delay", arguments: {} } }, CallToolResultSchema),
  );
  await connected.step("tasks/get", (client) => client.experimental.tasks.getTask(delayed));
  await connected.step("tasks/list", (client) => client.experimental.tasks.listTasks());
  await connected.rejected("tasks/cancel of a completed task", (client) =>
    client.experimental.tasks.cancelTask(delayed),
  );
}
