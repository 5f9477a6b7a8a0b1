import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describeOfficialClient } from "./support/official-suite.js";
import { CHILD, serveHttp } from "./support/serving.js";
import { describeSession } from "./support/session-suite.js";
import { connectV1 } from "../../tools/official-clients/v1-client.js";

describeOfficialClient("the v1 client over stdio", "2025-11-25", async () => ({
  client: await connectV1(new StdioClientTransport(CHILD)),
}));

describeOfficialClient("the v1 client over HTTP", "2025-11-25", async () => {
  const serving = await serveHttp();
  const client = await connectV1(new StreamableHTTPClientTransport(serving.endpoint));
  return { client, stop: () => serving.close() };
});

describeOfficialClient("the v1 client over HTTP+SSE", "2025-11-25", async () => {
  const serving = await serveHttp();
  const client = await connectV1(new SSEClientTransport(new URL("/sse", serving.endpoint)));
  return { client, stop: () => serving.close() };
});

describeSession("the v1 client's session", async (endpoint, send) => {
  const transport = new StreamableHTTPClientTransport(endpoint, { fetch: send });
  return { transport, client: await connectV1(transport) };
});
