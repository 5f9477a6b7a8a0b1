import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import type { Revision } from "tenon/protocol";
import { type FetchHandler, toFetch } from "tenon/fetch";
import { NEWS } from "../support/contract/transport-server.js";
import { createFixtureServer } from "./support/fixture-server.js";
import { CLIENT_INFO } from "../../tools/official-clients/official-client.js";
import { describeOfficialClient, textOf } from "./support/official-suite.js";
import { CHILD, serveHttp } from "./support/serving.js";
import { describeSession } from "./support/session-suite.js";
import { connectV2, type Negotiation } from "../../tools/official-clients/v2-client.js";

const AGREED: readonly (readonly [Negotiation, Revision])[] = [
  ["unset", "2025-11-25"],
  ["auto", "2026-07-28"],
  ["pinned", "2026-07-28"],
];

for (const [negotiation, revision] of AGREED) {
  describeOfficialClient(`the v2 client over stdio, version ${negotiation}`, revision, async () => ({
    client: await connectV2(negotiation, new StdioClientTransport(CHILD)),
  }));

  describeOfficialClient(`the v2 client over HTTP, version ${negotiation}`, revision, async () => {
    const serving = await serveHttp();
    const client = await connectV2(negotiation, new StreamableHTTPClientTransport(serving.endpoint));
    return { client, stop: () => serving.close() };
  });

  describeOfficialClient(`the v2 client without a socket, version ${negotiation}`, revision, async () => {
    const handler = toFetch(createFixtureServer());
    return { client: await connectV2(negotiation, transportTo(handler)), stop: () => handler.close(500) };
  });
}

describeSession("the v2 client's session", async (endpoint, send) => {
  const transport = new StreamableHTTPClientTransport(endpoint, { fetch: send });
  return { transport, client: await connectV2("unset", transport) };
});

describe("the v2 client's requests", () => {
  test("T49: repeat an argument in a header, and the server compares it with the body", async () => {
    const handler = toFetch(createFixtureServer());
    const headers: (string | null)[] = [];
    let forged: string | undefined;
    const transport = new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
      fetch: (url, init) => {
        const request = new Request(url, init);
        if (forged !== undefined) request.headers.set("mcp-param-region", forged);
        headers.push(request.headers.get("mcp-param-region"));
        return handler(request);
      },
    });
    const client = await connectV2("pinned", transport);
    await client.toolPages();
    expect(await textOf(client.callTool("deploy", { region: "eu-north" }))).toBe("deployed to eu-north");
    expect(headers.at(-1)).toBe("eu-north");
    expect(await textOf(client.callTool("deploy", { region: "Füssen" }))).toBe("deployed to Füssen");
    expect(headers.at(-1)).toBe("=?base64?RsO8c3Nlbg==?=");
    forged = "us-east";
    await expect(client.callTool("deploy", { region: "eu-north" })).rejects.toMatchObject({ code: -32020 });
    await client.close();
    await handler.close(0);
  });

  test("T49: open a subscription that the server ends gracefully", async () => {
    const server = createFixtureServer();
    const handler = toFetch(server);
    const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(transportTo(handler));
    const subscription = await client.listen({ promptsListChanged: true, resourceSubscriptions: [NEWS] });
    expect(subscription.honoredFilter).toEqual({ promptsListChanged: true, resourceSubscriptions: [NEWS] });
    server.close();
    expect(await subscription.closed).toBe("graceful");
    await client.close();
    await handler.close(0);
  });

  test("T49: refresh a list automatically if configured", async () => {
    const server = createFixtureServer();
    const handler = toFetch(server);
    const names = new Promise<unknown>((resolve) => {
      const onChanged = (_error: Error | null, tools: readonly { readonly name: string }[] | null) =>
        resolve(tools?.map(({ name }) => name).at(-1));
      const options = { versionNegotiation: { mode: "auto" as const } };
      const client = new Client(CLIENT_INFO, {
        ...options,
        listChanged: { tools: { debounceMs: 0, onChanged } },
      });
      void client.connect(transportTo(handler)).then(() => {
        server.update((editor) => editor.tool("newcomer", { handler: () => "new" }));
      });
    });
    expect(await names).toBe("newcomer");
    await handler.close(0);
  });
});

function transportTo(handler: FetchHandler): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), {
    fetch: (url, init) => handler(new Request(url, init)),
  });
}
