/**
 * @fileoverview A server written for the official SDK, except for its import. Run directly, it serves on stdio.
 * @module tests/sdk/support/facade-server
 */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { McpServer } from "../../src/v1/mcp-server.js";
import { ResourceTemplate } from "../../src/server/registrations/resources.js";

export function createFacade(): McpServer {
  const server = new McpServer({ name: "facade", version: "1.0.0" }, { instructions: "Ask away." });
  server.registerTool(
    "add",
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool("greet", { description: "Asks for a name" }, async () => {
    const answer = await server.server.elicitInput({
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    const name = answer.action === "accept" ? String(answer.content?.["name"]) : "stranger";
    const { roots } = await server.server.listRoots();
    return { content: [{ type: "text", text: `Hello, ${name} of ${roots[0]?.uri}!` }] };
  });
  server.registerTool("fail", {}, () => {
    throw new Error("out of ink");
  });
  server.registerTool("whoami", {}, ({ authInfo, sessionId, requestInfo }) => ({
    content: [
      {
        type: "text",
        text: JSON.stringify({
          client: authInfo?.clientId,
          hasSession: sessionId !== undefined,
          hasHeaders: requestInfo !== undefined,
        }),
      },
    ],
  }));
  server.registerResource("readme", "docs://readme", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, text: "Hello" }],
  }));
  server.registerResource(
    "note",
    new ResourceTemplate("notes://{id}", {
      list: () => ({ resources: [{ uri: "notes://1", name: "one" }] }),
      complete: { id: (value) => ["1", "2"].filter((id) => id.startsWith(value)) },
    }),
    {},
    (uri, { id }) => ({ contents: [{ uri: uri.href, text: `note ${String(id)}` }] }),
  );
  server.registerPrompt("review", { argsSchema: { code: z.string() } }, ({ code }) => ({
    messages: [{ role: "user", content: { type: "text", text: code } }],
  }));
  server.server.setRequestHandler(z.object({ method: z.literal("example/echo") }), () => ({ echoed: true }));
  return server;
}

if (process.argv[2] === "stdio") await createFacade().connect(new StdioServerTransport());
