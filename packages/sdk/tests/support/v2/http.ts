/**
 * @fileoverview Sends raw HTTP requests to the handlers of both packages.
 * @module tests/sdk/support/v2/http
 */
import {
  type CreateMcpHandlerOptions,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
} from "@modelcontextprotocol/server";
import { INFO, type Register, SDKS, text } from "./both-sides.js";

export const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Creates the handlers of both packages, the official one first. */
export function handlersOf(
  register: Register = (server) => server.registerTool("ping", {}, () => text("pong")),
  options: CreateMcpHandlerOptions & { readonly server?: object } = {},
): readonly McpHttpHandler[] {
  const { server: serverOptions, ...rest } = options;
  return SDKS.map(([, sdk]) =>
    sdk.createMcpHandler(() => {
      const server = new sdk.McpServer(INFO, serverOptions);
      register(server, sdk);
      return server;
    }, rest),
  );
}

/** Creates a 2026-07-28 request with its headers. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Request {
  const name = params["name"] ?? params["uri"];
  return post(
    {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...params, _meta: { ...META, ...(params["_meta"] as object | undefined) } },
    },
    {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...headers,
    },
  );
}

/** Creates a POST request. */
export function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request("http://anywhere.example/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** Status, content type, and messages of a response. */
export interface Seen {
  readonly status: number;
  readonly type: string | undefined;
  readonly messages: readonly Record<string, unknown>[];
}

/** Reads a response to its end. */
export async function readResponse(response: Response): Promise<Seen> {
  const type = response.headers.get("content-type")?.split(";")[0];
  const body = await response.text();
  return { status: response.status, type, messages: messagesIn(body, type) };
}

function messagesIn(body: string, type: string | undefined): readonly Record<string, unknown>[] {
  if (body === "") return [];
  if (type !== "text/event-stream") return [JSON.parse(body) as Record<string, unknown>];
  return body
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, unknown>);
}

/** Sends the same request to both handlers. */
export async function sendBoth(
  handlers: readonly McpHttpHandler[],
  request: () => Request,
  options?: McpHandlerRequestOptions,
): Promise<readonly [Seen, Seen]> {
  const seen = [];
  for (const handler of handlers) seen.push(await readResponse(await handler.fetch(request(), options)));
  return seen as unknown as readonly [Seen, Seen];
}
