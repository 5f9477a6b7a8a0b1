/**
 * @fileoverview The application's half: routes, sessions, authorization and HTTP statuses, on plain `node:http`. The
 * server knows nothing of any of them. (`tenon/node` will do all this for you; here it is by hand, to show the seam.)
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

/** The session ids that `initialize` gave out. A real application bounds them; see the session store of Tenon. */
const sessions = new Set<string>();

/** The same handler on two routes: one for everybody, one behind a token. */
export function createBasicHttpServer(): HttpServer {
  return createServer((request, response) => {
    const route = `${request.method} ${request.url}`;
    if (route === "GET /healthz") return send(response, 200, '{"status":"ok"}');
    if (route === "POST /mcp") return void answer(request, response, {});
    if (route === "POST /private/mcp") {
      const [, user] = /^Bearer demo-(\w+)$/.exec(request.headers.authorization ?? "") ?? [];
      if (user === undefined)
        return send(response, 401, '{"error":"a token of the form demo-NAME is needed"}');
      return void answer(request, response, { user });
    }
    return send(response, 404, '{"error":"not found"}');
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > DEFAULT_LIMITS.maxBytes) return send(response, 413, '{"error":"too large"}');
    chunks.push(chunk);
  }
  const parsed = parseFrame(new Uint8Array(await new Blob(chunks).arrayBuffer()));
  if (!parsed.ok) {
    const refusal = newErrorResponse(null, parsed.error, parsed.reason);
    return send(response, refusal.status, refusal.toText());
  }
  const message = parsed.value as JsonRpcRequest; // `handle` looks at it before it trusts its shape
  const reply = await server.handle(message, context);
  if (reply.isEmpty()) return send(response, 202, "");
  if (message.method === "initialize" && reply.error === undefined) {
    const session = randomUUID();
    sessions.add(session);
    response.setHeader("mcp-session-id", session);
  }
  send(response, reply.status, reply.toBytes());
}

function send(response: ServerResponse, status: number, body: string | Uint8Array): void {
  response.writeHead(status, body.length === 0 ? {} : { "content-type": "application/json" });
  response.end(body);
}
