import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import { defineServer, type ServerLike } from "tenon";
import { McpServer as Facade } from "@tenon/sdk";
import { McpServer as Facade2 } from "@tenon/sdk/v2";
import { createClient } from "tenon/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  definePromptModule,
  defineResourceModule,
  defineToolModule,
  registerPrompts,
  registerResources,
  registerTools,
} from "../src/index.js";
import { toToolSource } from "../src/modules/register-modules.js";
import { INFO } from "./support/module-hosts.js";

const scopes = ["admin"];
const wipe = defineToolModule({
  name: "wipe",
  description: "Wipes",
  inputSchema: z.object({}),
  scopes,
  handler: () => ({ content: [{ type: "text", text: "done" }], structuredContent: {} }),
});
const secret = defineResourceModule({ name: "secret", uri: "doc://secret", scopes, handler: () => "42" });
const vault = defineResourceModule({
  name: "vault",
  uriTemplate: "vault://x/{key}",
  scopes,
  handler: ({ variables: { key } }) => `key ${key}`,
});
const plan = definePromptModule({ name: "plan", scopes, handler: () => "attack" });

const registerAll = <Target extends Parameters<typeof registerTools>[0]>(server: Target): Target => {
  registerTools(server, [wipe], {});
  registerResources(server as never, [secret, vault], {});
  registerPrompts(server as never, [plan], {});
  return server;
};

const SERVERS: Readonly<Record<string, () => ServerLike<unknown>>> = {
  "our builder": () => registerAll(defineServer(INFO)),
  "our server": () => registerAll(defineServer(INFO).build()),
  "McpServer of @tenon/sdk": () => registerAll(new Facade(INFO)).build(),
  "McpServer of @tenon/sdk/v2": () => registerAll(new Facade2(INFO)).build(),
};

describe.each(Object.entries(SERVERS))("modules with scopes on %s", (_kind, create) => {
  test("are hidden from callers that lack the scopes", async () => {
    const client = await createClient(create(), { auth: { principal: "eve", scopes: [] } });
    expect([await client.listTools(), await client.listResources(), await client.listPrompts()]).toEqual([
      [],
      [],
      [],
    ]);
    expect(await client.listResourceTemplates()).toEqual([]);
    await expect(client.callTool("wipe")).rejects.toMatchObject({ data: { requiredScopes: scopes } });
    await expect(client.readResource("doc://secret")).rejects.toThrow(/not found/i);
    await expect(client.getPrompt("plan")).rejects.toThrow();
  });

  test("are served to callers that have the scopes", async () => {
    const client = await createClient(create(), { auth: { principal: "ada", scopes } });
    expect(await client.listTools()).toHaveLength(1);
    expect(await client.callTool("wipe")).toMatchObject({ content: [{ text: "done" }] });
    expect(await client.readResource("vault://x/gold%20bar")).toMatchObject({
      contents: [{ text: "key gold bar" }],
    });
  });

  test("reject a template value with a separator", async () => {
    const client = await createClient(create(), { auth: { principal: "ada", scopes } });
    for (const key of ["..%2fsecret", "..%5csecret", "a%00"]) {
      await expect(client.readResource(`vault://x/${key}`)).rejects.toThrow(/not found/i);
    }
  });
});

test("a source of tool modules keeps their scopes", async () => {
  const server = defineServer(INFO).tools(toToolSource([wipe], {}));
  const client = await createClient(server, { auth: { principal: "eve", scopes: [] } });
  expect(await client.listTools()).toEqual([]);
});

test.each([
  ["version 1", () => new McpServer(INFO)],
  ["version 2", () => new McpServer2(INFO)],
])(
  "an official server of %s rejects modules with scopes, because it cannot check them",
  (_version, create) => {
    const problem = (label: string) =>
      `${label} has \`scopes\`, which an official SDK server cannot check. ` +
      'Use a Tenon server or `McpServer` from "@tenon/sdk".';
    expect(() => registerTools(create(), [wipe], {})).toThrow(problem('Tool "wipe"'));
    expect(() => registerResources(create(), [secret], {})).toThrow(problem('Resource "secret"'));
    expect(() => registerPrompts(create(), [plan], {})).toThrow(problem('Prompt "plan"'));
  },
);
