/**
 * @fileoverview Streams of the official SDK, version 2: `createMcpHandler` for the modern era, its Node transport with
 * an event store for sessions.
 * @module bench/servers/streams/official-v2
 */
import { randomUUID } from "node:crypto";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  type EventStore,
  type JSONRPCMessage,
  McpServer,
} from "@modelcontextprotocol/server";
import type { Adapter } from "../contract.js";
import { listen } from "../node-http.js";
import { INFO } from "../tools.js";
import { EventLog } from "./event-log.js";
import { tick, TICKS, TICKS_DESCRIPTION, TICKS_INPUT } from "./ticks.js";

function v2Server(): McpServer {
  const server = new McpServer(INFO, { capabilities: { tools: { listChanged: true } } });
  server.registerTool(
    TICKS,
    { description: TICKS_DESCRIPTION, inputSchema: TICKS_INPUT },
    async ({ count, text: message }, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? "";
      const text = await tick(count, (progress) =>
        mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: count, message },
        }),
      );
      return { content: [{ type: "text", text }] };
    },
  );
  return server;
}

function createEventStore(): EventStore {
  const log = new EventLog<JSONRPCMessage>();
  return {
    storeEvent: (streamId, message) => Promise.resolve(log.add(log.open(streamId), message)),
    async replayEventsAfter(lastEventId, { send }) {
      const found = log.find(lastEventId);
      if (found === undefined) throw new Error(`Unknown event ${lastEventId}`);
      const { stream, after } = found;
      for (const [index, message] of stream.events.slice(after).entries())
        await send(`${stream.id}_${after + index + 1}`, message);
      return stream.id;
    },
  };
}

function serveSessions(): Promise<number> {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  return listen(async (request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]));
    if (known !== undefined) {
      await known.handleRequest(request, response);
      return;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await v2Server().connect(transport);
    await transport.handleRequest(request, response);
  });
}

const handler = createMcpHandler(() => v2Server());

/** Adapter of the official SDK, version 2. */
export const adapter: Adapter = {
  http(setup) {
    if (setup.mode === "session") return serveSessions();
    const listener = toNodeHandler(handler);
    return listen((request, response) => void listener(request as Parameters<typeof listener>[0], response)); // differs only in an optional method
  },
  publish: () => handler.notify.toolsChanged(),
};
