/**
 * @fileoverview A user's module that exports values with inferred types. It must compile with `declaration: true`
 * against every entry point, so that no inferred type refers to a private file.
 * @module tests/support/packages/consumer
 */
import { AgentServerBuilder, defineMessage, defineTool } from "@tenon/agent";
import { createErrorHandler, createLogger, createRateLimiter, defineToolHandler, standard } from "@tenon/app";
import { createAuthorization } from "@tenon/auth";
import { createHttpMcpRouter, defineToolModule, parseConfig, registerTools } from "@tenon/kit";
import { createMemoryTokenStore, createOAuthAdapters } from "@tenon/oauth";
import { redis } from "@tenon/redis";
import { connect, McpServer, ResourceTemplate, Server as LowLevelServer } from "@tenon/sdk";
import { toServerSource } from "@tenon/sdk/adapters";
import { createMcpHandler, McpServer as McpServerV2 } from "@tenon/sdk/v2";
import { defineServer, extension, form, Server, type ServerLike, textResult } from "tenon";
import { toFetch } from "tenon/fetch";
import { createTool, ToolRegistry } from "tenon/grouped";
import { compileSchema, Connection, receive, toServer } from "tenon/host";
import { loadJsonSchema } from "tenon/json-schema";
import { catalog, Group } from "tenon/model";
import { loadTools, serve, toNodeHandler } from "tenon/node";
import { createEncoder, REVISIONS } from "tenon/protocol";
import { serveStdio } from "tenon/stdio";
import { createMemoryKeyValueStore } from "tenon/stores";
import { createClient } from "tenon/testing";
import { z } from "zod";

const input = z.object({ name: z.string() });

// tenon
export const builder = defineServer({ name: "consumer", version: "1.0.0" }).tool("greet", {
  description: "Greets a person",
  input,
  output: z.object({ text: z.string() }),
  handler: ({ name }) => ({ text: `Hello, ${name}!` }),
});
export const built = builder.build();
export const view = built.view({ tags: ["public"] });
export const description = built.describe();
export const response = built.handle({ jsonrpc: "2.0", id: 1, method: "ping" }, undefined);
export const classic = Server.builder().serverInfo("consumer", "1.0.0").build();
export const question = form({ message: "Who?", schema: input });
export const noResult = textResult("");
export const ping = extension({ id: "example.com/ping", methods: {} });
export const hosted = toServer(built);
export const asServerLike = (server: ServerLike<unknown>) => server;

// Transports and hosts
export const fetchHandler = toFetch(built);
export const nodeHandler = toNodeHandler(built);
export const start = () => serve(built, { transport: { type: "http", port: 0 } });
export const startStdio = () => serveStdio(built);
export const client = () => createClient(built);
export const connection = new Connection();
export const compiled = compileSchema(input, { side: "input", label: "consumer" });
export const answer = (frame: string) => receive(built, frame, { context: undefined });
export const load = () => loadTools("tools.json");

// Data
export const encoder = createEncoder(REVISIONS[0], { name: "consumer", version: "1.0.0" });
export const group = new Group("group");
export const listing = catalog(built);
export const store = createMemoryKeyValueStore();
export const sharedStore = redis({ url: "redis://127.0.0.1:6379" });
export const jsonSchema = () => loadJsonSchema();

// Grouped tools
export const users = createTool("users").action({
  name: "list",
  schema: input,
  handler: (_context, { name }) => name,
});
export const registry = new ToolRegistry().register(users);

// @tenon/*
export const authorization = () => createAuthorization({ mode: "none" });
export const mcp = new McpServer({ name: "consumer", version: "1.0.0" });
export const registered = mcp.registerTool("greet", { inputSchema: input.shape }, ({ name }) => ({
  content: [{ type: "text", text: name }],
}));
export const template = new ResourceTemplate("note://{id}", { list: undefined });
export const mcpBuilt = mcp.build();
export const mcpView = mcpBuilt.view({});
export const mcpServer = mcp.server;
export const mcpClient = () => createClient(mcp);
export const serverSource = toServerSource({ mcpServer: mcp });
export const connected = (transport: Parameters<typeof connect>[1]) => connect(mcpBuilt, transport);
export const lowLevel = new LowLevelServer({ name: "consumer", version: "1.0.0" });
export const mcpV2 = new McpServerV2({ name: "consumer", version: "1.0.0" });
export const registeredV2 = mcpV2.registerTool("greet", { inputSchema: input }, ({ name }) => ({
  content: [{ type: "text", text: name }],
}));
export const handlerV2 = createMcpHandler(() => mcpV2);
export const greetModule = defineToolModule({
  name: "greet",
  description: "Greets a person",
  inputSchema: input,
  handler: ({ name }) => name,
});
export const withModules = registerTools(
  defineServer({ name: "modules", version: "1.0.0" }),
  [greetModule],
  {},
);
export const router = createHttpMcpRouter({ mcpServer: built });
export const config = parseConfig([], {});
export const tokens = createMemoryTokenStore();
export const adapters = (provider: Parameters<typeof createOAuthAdapters>[0]) =>
  createOAuthAdapters(provider);
export const logger = await createLogger();
export const limiter = createRateLimiter({ limit: 1, windowMs: 1_000 });
export const errors = createErrorHandler({ logger });
export const middleware = standard({});
export const handler = defineToolHandler({
  toolName: "greet",
  logic: async ({ name }: z.infer<typeof input>) => name,
});
export const shout = defineTool({
  name: "shout",
  description: "Repeats the text in capitals",
  whenToUse: "When the user asks for capitals",
  params: [{ name: "text", optional: false, description: "Text to say" }],
  useExamples: [],
  invoke: async ({ params }) => ({ message: "Done", toolResult: params.text.toUpperCase() }),
});
export const wave = defineMessage({ type: "wave", dataSchema: z.object({}), handler: () => undefined });
export const agent = new AgentServerBuilder().registerTool(shout).registerMessage(wave).build();
