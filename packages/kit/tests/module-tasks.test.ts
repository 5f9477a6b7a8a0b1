import { InMemoryTransport as Memory2 } from "@modelcontextprotocol/client";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { defineServer, type ServerLike } from "tenon";
import { McpServer as Facade } from "@tenon/sdk";
import { McpServer as Facade2 } from "@tenon/sdk/v2";
import { tasks } from "tenon/tasks";
import { createClient } from "tenon/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { connectV1 } from "../../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../../tools/official-clients/v2-client.js";
import { defineToolModule, registerTools } from "../src/index.js";
import { toToolSource } from "../src/modules/register-modules.js";
import { INFO } from "./support/module-hosts.js";

interface Library {
  readonly books: readonly string[];
}

const library: Library = { books: ["Emma", "Ulysses"] };

const index = defineToolModule({
  name: "index",
  description: "Indexes all books.",
  inputSchema: z.object({ prefix: z.string() }),
  outputSchema: z.object({ titles: z.array(z.string()) }),
  task: { mode: "required", ttlMs: 60_000 },
  handler: async ({ prefix }, extra, { books }: Library) => {
    await extra.progress(1, 2, "Reading");
    return { titles: books.map((title) => `${prefix}${title}`) };
  },
});

const CALL = { prefix: "- " };
const RESULT = { structuredContent: { titles: ["- Emma", "- Ulysses"] } };

describe("a tool module with a `task` option", () => {
  const servers: Readonly<Record<string, () => ServerLike<unknown>>> = {
    "our builder": () => registerTools(defineServer(INFO).extension(tasks()), [index], library),
    "our server": () => registerTools(defineServer(INFO).extension(tasks()).build(), [index], library),
    "our builder's tools": () =>
      defineServer(INFO)
        .extension(tasks())
        .tools(toToolSource([index], library)),
  };

  test.each(Object.entries(servers))("runs as a task on %s", async (_kind, create) => {
    const client = await createClient(create(), { tasks: true });
    const onProgress = vi.fn();
    const result = await client.callTool("index", CALL, { onProgress });
    expect(result).toMatchObject(RESULT);
    const task = await client.startTask("index", CALL);
    expect(await task.result()).toMatchObject(RESULT);
    expect(await task.get()).toMatchObject({ status: "completed", statusMessage: "Reading" });
  });

  test.each([
    ["version 1", () => new Facade(INFO).extension(tasks())],
    ["version 2", () => new Facade2(INFO).extension(tasks())],
  ])("runs as a task on a drop-in of %s", async (_version, create) => {
    const server = create();
    registerTools(server, [index], library);
    const client = await createClient(server.build(), { tasks: true });
    const task = await client.startTask("index", CALL);
    expect(await task.result()).toMatchObject(RESULT);
    expect(await task.get()).toMatchObject({ status: "completed", statusMessage: "Reading" });
  });

  test("is rejected by a Tenon server without tasks", () => {
    const builder = registerTools(defineServer(INFO), [index], library);
    expect(() => builder.build()).toThrow(
      'Tool "index" has a `task` option, but the server cannot run tasks. Add `.extension(tasks())`',
    );
  });

  test("runs in its request on an official server of version 1", async () => {
    const server = registerTools(new McpServer(INFO), [index], library);
    const [near, far] = InMemoryTransport.createLinkedPair();
    await server.connect(far);
    const client = await connectV1(near);
    expect(await client.callTool("index", CALL)).toMatchObject(RESULT);
    await client.close();
  });

  test("runs in its request on an official server of version 2", async () => {
    const server = registerTools(new McpServer2(INFO), [index], library);
    const [near, far] = Memory2.createLinkedPair();
    await server.connect(far);
    const client = await connectV2("unset", near);
    expect(await client.callTool("index", CALL)).toMatchObject(RESULT);
    await client.close();
  });
});
