import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answersOf, plain, type Register, type Side } from "./support/both-sides.js";

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

/** Assignments to the objects that the register functions return, and the request that shows their effect. */
const ASSIGNMENTS: Readonly<Record<string, readonly [Register, (side: Side) => Promise<unknown>]>> = {
  "tool.title and tool.description": [
    (server) => {
      const tool = server.registerTool("t", { title: "old" }, () => text(""));
      tool.title = "new";
      tool.description = "changed";
    },
    ({ client }) => client.listTools(),
  ],
  "tool.annotations and tool._meta": [
    (server) => {
      const tool = server.registerTool("t", {}, () => text(""));
      tool.annotations = { readOnlyHint: true };
      tool._meta = { a: 1 };
    },
    ({ client }) => client.listTools(),
  ],
  "tool.inputSchema": [
    (server) => {
      const tool = server.registerTool("t", { inputSchema: { a: z.string() } }, ({ a }) => text(a));
      tool.inputSchema = z.object({ a: z.number() });
    },
    ({ client }) => client.callTool({ name: "t", arguments: { a: "x" } }),
  ],
  "tool.handler": [
    (server) => {
      const tool = server.registerTool("t", {}, () => text("old"));
      tool.handler = () => text("new");
    },
    ({ client }) => client.callTool({ name: "t" }),
  ],
  "tool.enabled": [
    (server) => {
      server.registerTool("t", {}, () => text("")).enabled = false;
    },
    ({ client }) => client.listTools(),
  ],
  "prompt.description and prompt.callback": [
    (server) => {
      const prompt = server.registerPrompt("p", {}, () => ({ messages: [] }));
      prompt.description = "changed";
      prompt.callback = () => ({
        messages: [{ role: "user" as const, content: { type: "text" as const, text: "new" } }],
      });
    },
    async ({ client }) => [await client.listPrompts(), await client.getPrompt({ name: "p" })],
  ],
  "resource.name, resource.metadata, and resource.readCallback": [
    (server) => {
      const resource = server.registerResource("r", "mem://r", {}, () => ({ contents: [] }));
      resource.name = "renamed";
      resource.metadata = { description: "changed" };
      resource.readCallback = (uri) => ({ contents: [{ uri: uri.href, text: "new" }] });
    },
    async ({ client }) => [await client.listResources(), await client.readResource({ uri: "mem://r" })],
  ],
};

describe("registered objects accept assignments, as in the official SDK", () => {
  test.each(Object.entries(ASSIGNMENTS))("%s", async (_, [register, ask]) => {
    const [wanted, given] = await answersOf(register, ask);
    expect(plain(given)).toEqual(plain(wanted));
  });
});
