/**
 * @fileoverview Handwritten HTTP layer on plain `node:http`: routes, sessions, authorization, and status codes. It
 * shows the MCP server's interface. Applications use `tenon/node` instead.
 * @module examples/basic/http
 */
import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import { DEFAULT_LIMITS, parseFrame, type JsonRpcRequest } from "tenon/protocol";
import { newErrorResponse } from "tenon";
import { type Context, server } from "./server.js";

/** Session IDs issued by `initialize`. A real application limits their number, as Tenon's session store does. */
const sessions = new Set<string>();

/** Creates an HTTP server with a public route and a route that requires a token. Both use the same MCP server. */
export function createBasicHttpServer(): HttpServer {
  return createServer((request, response) => {
    const route = `${request.method} ${request.url}`;
    if (route === "GET /healthz") return send(response, 200, '{"status":"ok"}');
    if (route === "POST /mcp") return void answer(request, response, {});
    if (route === "POST /private/mcp") {
      const [, user] = /^Bearer demo-(\w+)$/.exec(request.headers.authorization ?? "") ?? [];
      if (user === undefined)
        return send(response, 401, '{"error":"Send the header: Authorization: Bearer demo-NAME"}');
      return void answer(request, response, { user });
    }
    return send(response, 404, '{"error":"Not found. Send a POST request to /mcp or /private/mcp."}');
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const given = request.headers["mcp-session-id"];
  // Clients start a new session after a 404. Requests without a session are allowed, because no tool needs one.
  if (given !== undefined && !sessions.has(String(given))) return send(response, 404, UNKNOWN_SESSION);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > DEFAULT_LIMITS.maxBytes) return send(response, 413, TOO_LARGE);
    chunks.push(chunk);
  }
  const parsed = parseFrame(new Uint8Array(await new Blob(chunks).arrayBuffer()));
  if (!parsed.ok) {
    const refusal = newErrorResponse(null, parsed.error, parsed.reason);
    return send(response, refusal.status, refusal.toText());
  }
  const message = parsed.value as JsonRpcRequest; // `handle` validates it
  const reply = await server.handle(message, context);
  if (reply.isEmpty()) return send(response, 202, "");
  if (message.method === "initialize" && reply.error === undefined) {
    const session = randomUUID();
    sessions.add(session);
    response.setHeader("mcp-session-id", session);
  }
  send(response, reply.status, reply.toBytes());
}

const UNKNOWN_SESSION = newErrorResponse(
  null,
  "NOT_FOUND",
  "The session is unknown or expired. Send `initialize` to start a new one.",
).toText();

const TOO_LARGE = `{"error":"The request body is too large (limit: ${DEFAULT_LIMITS.maxBytes} bytes)."}`;

function send(response: ServerResponse, status: number, body: string | Uint8Array): void {
  response.writeHead(status, body.length === 0 ? {} : { "content-type": "application/json" });
  response.end(body);
}
