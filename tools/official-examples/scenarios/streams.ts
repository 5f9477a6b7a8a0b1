/**
 * @fileoverview Scenarios for the examples about ways to serve over HTTP: one response or a stream, with and without
 * sessions, the deprecated transport, and streams that a client resumes.
 * @module tools/official-examples/scenarios/streams
 */
import { ExampleClient, overHttp, overSse } from "../example-client.js";
import { type HttpScenario, listTools, request } from "./scenario.js";

const LOG = "notifications/message";

/** Web-standard requests without a session. */
export const honoWebStandardStreamableHttp: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const connected = await ExampleClient.connect(overHttp(`${origin}/mcp`));
    await listTools(connected);
    await connected.call("greet", { name: "Ada" });
    await connected.call("greet", { name: 1 });
    return [await connected.close(), await request(`${origin}/health`)];
  },
};

/** Responses as JSON, without streams. */
export const jsonResponseStreamableHttp: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const url = `${origin}/mcp`;
    const connected = await ExampleClient.connect(overHttp(url));
    await listTools(connected);
    await connected.call("greet", { name: "Ada" });
    await connected.call("multi-greet", { name: "Ada" });
    const record = await connected.close();
    return [record, await request(url), await request(url, { method: "POST" })];
  },
};

/** A new server for every request. */
export const simpleStatelessStreamableHttp: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const url = `${origin}/mcp`;
    const connected = await ExampleClient.connect(overHttp(url));
    await listTools(connected);
    await connected.call("start-notification-stream", { interval: 1, count: 3 });
    await connected.step("prompts/list", (client) => client.listPrompts());
    await connected.step("prompts/get", (client) =>
      client.getPrompt({ name: "greeting-template", arguments: { name: "Ada" } }),
    );
    await connected.rejected("prompts/get without arguments", (client) =>
      client.getPrompt({ name: "greeting-template" }),
    );
    await connected.step("resources/list", (client) => client.listResources());
    await connected.step("resources/templates/list", (client) => client.listResourceTemplates());
    await connected.step("resources/read", (client) =>
      client.readResource({ uri: "https://example.com/greetings/default" }),
    );
    await connected.rejected("resources/read of an unknown resource", (client) =>
      client.readResource({ uri: "https://example.com/unknown" }),
    );
    // The official server loses the log messages, because there is no GET stream. `differences.test.ts` covers this.
    const { notifications: _, ...record } = await connected.close();
    return [record, await request(url), await request(url, { method: "DELETE" })];
  },
};

/** The deprecated HTTP+SSE transport. */
export const simpleSseServer: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const connected = await ExampleClient.connect(overSse(`${origin}/mcp`));
    await listTools(connected);
    await connected.step("logging/setLevel", (client) => client.setLoggingLevel("info"));
    await connected.call("start-notification-stream", { interval: 5, count: 3 });
    await connected.receives(LOG, 4);
    return connected.close();
  },
};

/** One server on both transports. */
export const sseAndStreamableHttpCompatibleServer: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const lines = [overHttp(`${origin}/mcp`), overSse(`${origin}/sse`)];
    const records = lines.map(async (line) => {
      const connected = await ExampleClient.connect(line);
      await listTools(connected);
      await connected.call("start-notification-stream", { interval: 5, count: 3 });
      await connected.receives(LOG, 3);
      return connected.close();
    });
    return [await Promise.all(records), await request(`${origin}/mcp`)];
  },
};

/** A call whose stream the server closes, so that the client must resume it. */
export const ssePollingExample: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const connected = await ExampleClient.connect(overHttp(`${origin}/mcp`));
    await listTools(connected);
    await connected.call("long-task");
    await connected.receives(LOG, 4);
    return connected.close();
  },
};

/** Resources that the server adds over time, and announces. */
export const standaloneSseWithGetStreamableHttp: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const url = `${origin}/mcp`;
    const connected = await ExampleClient.connect(overHttp(url));
    const before = await connected.step("resources/list", (client) => client.listResources());
    const uri = before.resources[0]?.uri ?? "";
    await connected.step("resources/read", (client) => client.readResource({ uri }));
    await connected.receives("notifications/resources/list_changed", 1);
    // On a slow machine, there may be more changes than one.
    await connected.step("resources/list after a change", async (client) =>
      (await client.listResources()).resources.slice(0, 2),
    );
    const { notifications, ...record } = await connected.close();
    return [
      { ...record, notification: notifications[0] },
      await request(url),
      await request(url, { method: "POST" }),
    ];
  },
};
