/**
 * @fileoverview The measured applications: a new server with twenty tools for every request, as in the examples of the
 * official SDK. The classes are arguments, because only their imports differ.
 * @module bench/servers/sdk/apps
 */
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { toNodeHandler } from "@modelcontextprotocol/node";
import type { Adapter } from "../contract.js";
import { type FetchFunction, listen } from "../node-http.js";
import { INFO } from "../tools.js";
import { createTools, type SdkTool } from "./tools.js";

/** Where an application creates its schemas: once in a module, or for every request. */
export type SchemaPlace = "module" | "request";

/** Servers of both SDKs, as far as the applications use them. */
interface V1Server {
  registerTool(
    name: string,
    config: { readonly description: string; readonly inputSchema: SdkTool["input"]["shape"] },
    run: (args: Readonly<Record<string, unknown>>) => Result,
  ): unknown;
  connect(transport: StreamableHTTPServerTransport): Promise<void>;
  close(): Promise<void>;
}

interface V2Server {
  registerTool(
    name: string,
    config: { readonly description: string; readonly inputSchema: SdkTool["input"] },
    run: (args: Readonly<Record<string, unknown>>) => Result,
  ): unknown;
}

interface Result {
  readonly content: { readonly type: "text"; readonly text: string }[];
}

/** Version 1: a server and a stateless transport for every request, on `node:http`. */
export function v1Adapter(McpServer: new (info: typeof INFO) => V1Server, place: SchemaPlace): Adapter {
  const toolsOf = toolSource(place);
  const getServer = () => {
    const server = new McpServer(INFO);
    for (const { name, description, input, run } of toolsOf()) {
      server.registerTool(name, { description, inputSchema: input.shape }, (args) => toResult(run(args)));
    }
    return server;
  };
  return {
    http: () =>
      listen(async (request, response) => {
        const server = getServer();
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
        response.on("close", () => {
          void transport.close();
          void server.close();
        });
        await server.connect(transport);
        await transport.handleRequest(request, response);
      }),
  };
}

/** Version 2: `createMcpHandler`, on the official bridge from `node:http`. */
export function v2Adapter<Server extends V2Server>(
  McpServer: new (info: typeof INFO) => Server,
  createMcpHandler: (factory: () => Server) => { readonly fetch: (request: Request) => Promise<Response> },
  place: SchemaPlace,
): Adapter {
  const toolsOf = toolSource(place);
  const { fetch } = createMcpHandler(() => {
    const server = new McpServer(INFO);
    for (const { name, description, input, run } of toolsOf()) {
      server.registerTool(name, { description, inputSchema: input }, (args) => toResult(run(args)));
    }
    return server;
  });
  const handle: FetchFunction = (request) => fetch(request);
  return {
    http() {
      const handler = toNodeHandler({ fetch });
      return listen((request, response) => void handler(request as Parameters<typeof handler>[0], response)); // differs only in an optional method
    },
    fetch: () => handle,
  };
}

function toolSource(place: SchemaPlace): () => readonly SdkTool[] {
  const tools = createTools();
  return place === "module" ? () => tools : createTools;
}

function toResult(text: string): Result {
  return { content: [{ type: "text", text }] };
}
