/**
 * @fileoverview The same server in three variants, as official SDK users write it: `McpServer` and `Server` from
 * version 1, and `McpServer` from version 2.
 * @module tests/kit/support/sdk-servers
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { McpServer as McpServer2, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { SdkServer } from "@tenon/sdk";
import {
  ADD,
  createSdkTools,
  type Doings,
  NAME_FORM,
  NEWS,
  PLAIN_TOOLS,
  SDK_CAPABILITIES,
  SDK_INFO,
} from "./sdk-tools.js";

/** A server, and a flag that is set when its connection closes. */
export interface MadeServer {
  readonly server: SdkServer;
  readonly closed: () => boolean;
}

/** Creates a new server. */
export type MakeServer = () => MadeServer;

/** Every kind of server. */
export const SDK_SERVERS: Readonly<Record<string, MakeServer>> = {
  "McpServer of version 1": makeMcpServer,
  "Server of version 1": makeServer,
  "McpServer of version 2": makeMcpServer2,
};

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

function makeMcpServer(): MadeServer {
  const { run } = createSdkTools();
  const server = new McpServer(SDK_INFO, { capabilities: SDK_CAPABILITIES });
  const grow = () =>
    void server.registerTool("grown", {}, () => ({ content: [{ type: "text", text: "here" }] }));
  const doings = (extra: Extra) => doingsOf(server.server, extra, grow);
  server.registerTool("add", { inputSchema: ADD.input, outputSchema: ADD.output }, (args, extra) =>
    run("add", args, doings(extra)),
  );
  for (const name of PLAIN_TOOLS) server.registerTool(name, {}, (extra) => run(name, {}, doings(extra)));
  server.registerResource("news", NEWS, {}, () => ({ contents: [{ uri: NEWS, text: "Nothing new" }] }));
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return { server, closed: watchClose(server.server) };
}

function makeServer(): MadeServer {
  const { run } = createSdkTools();
  const server = new Server(SDK_INFO, { capabilities: SDK_CAPABILITIES });
  const names: string[] = [...PLAIN_TOOLS];
  const grow = () => {
    names.push("grown");
    void server.sendToolListChanged();
  };
  const nothing = { type: "object" as const };
  const [inputSchema, outputSchema] = [ADD.input, ADD.output].map((shape) => z.toJSONSchema(z.object(shape)));
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      { name: "add", inputSchema: inputSchema as never, outputSchema: outputSchema as never }, // objects, as above
      ...names.map((name) => ({ name, inputSchema: nothing })),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    params.name === "grown"
      ? { content: [{ type: "text", text: "here" }] }
      : run(params.name, params.arguments ?? {}, doingsOf(server, extra, grow)),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ name: "news", uri: NEWS }] }));
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return { server, closed: watchClose(server) };
}

function makeMcpServer2(): MadeServer {
  const { run } = createSdkTools();
  const server = new McpServer2(SDK_INFO, { capabilities: SDK_CAPABILITIES });
  const grow = () =>
    void server.registerTool("grown", {}, () => ({ content: [{ type: "text", text: "here" }] }));
  const doings = (ctx: ServerContext): Doings => ({
    signal: ctx.mcpReq.signal,
    sessionId: ctx.sessionId,
    clientId: ctx.http?.authInfo?.clientId,
    elicit: (message) => ctx.mcpReq.elicitInput({ message, requestedSchema: NAME_FORM }),
    sample: (text) => ctx.mcpReq.requestSampling(thought(text)),
    progress: (step) =>
      ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: ctx.mcpReq._meta?.progressToken ?? "", progress: step, total: 3 },
      }),
    log: (data) => ctx.mcpReq.log("info", data),
    grow,
    touch: () => server.server.sendResourceUpdated({ uri: NEWS }),
    close: () => server.close(),
  });
  const config = { inputSchema: z.object(ADD.input), outputSchema: z.object(ADD.output) };
  server.registerTool("add", config, (args, ctx) => run("add", args, doings(ctx)));
  for (const name of PLAIN_TOOLS) server.registerTool(name, {}, (ctx) => run(name, {}, doings(ctx)));
  server.registerResource("news", NEWS, {}, () => ({ contents: [{ uri: NEWS, text: "Nothing new" }] }));
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
  return { server, closed: watchClose(server.server) };
}

function doingsOf(server: Server, extra: Extra, grow: () => void): Doings {
  return {
    signal: extra.signal,
    sessionId: extra.sessionId,
    clientId: extra.authInfo?.clientId,
    elicit: (message) =>
      extra.sendRequest(
        { method: "elicitation/create", params: { message, requestedSchema: NAME_FORM } },
        ElicitResultSchema,
      ),
    // Sent without a related request, as most servers do: it uses the session's own stream.
    sample: (text) =>
      server.request({ method: "sampling/createMessage", params: thought(text) }, CreateMessageResultSchema),
    progress: (step) =>
      extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken: extra._meta?.progressToken ?? "", progress: step, total: 3 },
      }),
    log: (data) => server.sendLoggingMessage({ level: "info", data }, extra.sessionId),
    grow,
    touch: () => server.sendResourceUpdated({ uri: NEWS }),
    close: () => server.close(),
  };
}

function thought(text: string) {
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }], maxTokens: 10 };
}

function watchClose(server: { onclose?: (() => void) | undefined }): () => boolean {
  let closed = false;
  server.onclose = () => {
    closed = true;
  };
  return () => closed;
}
