import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test, vi } from "vitest";
import { openSession } from "../../../../tests/support/http-messages.js";
import { serveDev, SIGNALS, textOf } from "../support/dev/dev-run.js";

const ME = { name: "test", version: "1.0.0" };
const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

/** Modules with an official SDK server, and with the drop-in server of `@tenon/sdk`. */
const V1 = (version: number, more = "") => `${SIGNALS}
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
export default function createServer() {
  const server = new McpServer({ name: "official-v1", version: "${version}.0.0" });
  server.registerTool("version", { description: "Version" }, () => ({ content: [{ type: "text", text: "${version}" }] }));
  server.registerTool("who", { description: "Client" }, () => ({
    content: [{ type: "text", text: server.server.getClientVersion()?.name + " ${version}" }],
  }));
  server.registerTool("ask", { description: "Asks" }, async () => {
    const { action, content } = await server.server.elicitInput({
      message: "Name? ${version}",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return { content: [{ type: "text", text: action + " " + content?.name + " ${version}" }] };
  });
  server.registerTool("roots", { description: "Roots" }, async () => {
    signal("asking-${version}");
    await signalled("go-${version}");
    const { roots } = await server.server.listRoots();
    return { content: [{ type: "text", text: roots.length + " ${version}" }] };
  });
  ${more}
  return server;
}`;

const V2 = (version: number, more = "") => `
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
export default async function createServer() {
  const server = new McpServer({ name: "official-v2", version: "${version}.0.0" });
  server.registerTool("version", { inputSchema: z.object({}) }, () => ({ content: [{ type: "text", text: "${version}" }] }));
  ${more}
  return server;
}`;

const DROP_IN = (version: number, more = "") => `
import { McpServer } from "@tenon/sdk";
const server = new McpServer({ name: "drop-in", version: "${version}.0.0" });
server.registerTool("version", { description: "Version" }, () => ({ content: [{ type: "text", text: "${version}" }] }));
${more}
export default server;`;

const EXTRA = `server.registerTool("extra", { description: "Extra" }, () => ({ content: [{ type: "text", text: "extra" }] }));`;

async function connectV1(url: string) {
  const client = new ClientV1(ME, { capabilities: { elicitation: {}, roots: {} } });
  const changes: string[] = [];
  const questions: string[] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) => void changes.push(method));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: "accept", content: { name: "Ann" } };
  });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///a" }] }));
  await client.connect(new HttpV1(new URL(url)));
  return { client, changes, questions };
}

describe("modules with other servers", () => {
  test.each([
    ["the official SDK v1", V1],
    ["the official SDK v2", V2],
    ["the drop-in of @tenon/sdk", DROP_IN],
  ])("%s: sessions survive a reload, and get list_changed", async (_title, source) => {
    const { url, save } = await serveDev({ "server.ts": source(1) });
    const [one, two] = [await connectV1(url), await connectV1(url)];
    expect(text(await one.client.callTool({ name: "version" }))).toBe("1");
    await save(source(2, EXTRA));
    for (const { client, changes } of [one, two]) {
      await vi.waitFor(() => expect(changes).toHaveLength(1));
      expect(text(await client.callTool({ name: "version" }))).toBe("2");
      expect(text(await client.callTool({ name: "extra" }))).toBe("extra");
    }
    await Promise.all([one.client.close(), two.client.close()]);
  });

  test("the official SDK v1: the new server knows the client, and requests to the client do not mix", async () => {
    const { url, save, signal, signalled } = await serveDev({ "server.ts": V1(1) });
    const { client, questions } = await connectV1(url);
    const roots = client.callTool({ name: "roots" });
    await signalled("asking-1");
    await save(V1(2));
    expect(text(await client.callTool({ name: "who" }))).toBe("test 2");
    expect(text(await client.callTool({ name: "ask" }))).toBe("accept Ann 2");
    signal("go-1");
    expect(text(await roots)).toBe("1 1");
    expect(questions).toEqual(["Name? 2"]);
    await client.close();
  });

  test("the official client v2 falls back to a session if the module supports only sessions", async () => {
    const { url, save } = await serveDev({ "server.ts": V1(1) });
    const client = new ClientV2(ME, { versionNegotiation: { mode: "auto" } });
    await client.connect(new HttpV2(new URL(url)));
    expect(text(await client.callTool({ name: "version" }))).toBe("1");
    await save(V1(2));
    expect(text(await client.callTool({ name: "version" }))).toBe("2");
    await client.close();
  });

  test("an instance of the official SDK serves one session, also after a reload", async () => {
    const instance = (version: number) =>
      V1(version)
        .replace(/export default function createServer\(\) \{/, "")
        .replace(/return server;\s*\}$/, "export default server;");
    const { endpoint, save, program } = await serveDev({ "server.ts": instance(1) });
    expect((await program.next("note")).text).toBe(
      "This server supports only one session. To support more, export a function that returns a new server.",
    );
    const client = await openSession(endpoint);
    expect(await textOf(client.call("version"))).toBe("1");
    await save(instance(2));
    expect(await textOf(client.call("version"))).toBe("2");
    const second = await openSession(endpoint);
    expect(await textOf(second.call("version"))).toContain("This server supports only one session.");
  });
});
