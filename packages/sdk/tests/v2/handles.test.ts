/**
 * @fileoverview Registered tools, resources, and prompts can be changed as in the official SDK, version 2, and clients
 * are notified.
 * @module tests/sdk/v2/handles
 */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  bothSides,
  connectSide,
  plain,
  type Register,
  SDKS,
  type Side,
  settle,
  text,
} from "../support/v2/both-sides.js";

const contents = (uri: string, value: string) => ({ contents: [{ uri, text: value }] });

const all: Register = (server, sdk) => {
  server.registerTool("tool", { inputSchema: z.object({ a: z.string() }) }, ({ a }) => text(a));
  server.registerPrompt("prompt", {}, () => ({ messages: [] }));
  server.registerResource("resource", "a://b", {}, (uri) => contents(uri.href, "1"));
  server.registerResource("template", new sdk.ResourceTemplate("t://{x}", { list: undefined }), {}, (uri) =>
    contents(uri.href, "t"),
  );
};

type Change = (server: ReturnType<Side["server"]>, sdk: Side["sdk"]) => unknown;

/** Connects, changes the server, and returns what the client then sees and has heard. */
async function afterChange({ server, sdk, client, heard }: Side, change: Change) {
  const result: unknown = await change(server(), sdk);
  await settle();
  const [tools, prompts, resources, templates] = [
    await client.listTools(),
    await client.listPrompts(),
    await client.listResources(),
    await client.listResourceTemplates(),
  ];
  return plain({
    result: result ?? null,
    heard: heard.map(({ method }) => method),
    tools,
    prompts,
    resources,
    templates,
  });
}

/** Adds handles of one kind to a server, and runs a change on the handle. */
type Handles = ReturnType<typeof register>;
function register(server: ReturnType<Side["server"]>, sdk: Side["sdk"]) {
  return {
    tool: server.registerTool("late tool", { description: "d" }, () => text("late")),
    prompt: server.registerPrompt("late prompt", { description: "d" }, () => ({ messages: [] })),
    resource: server.registerResource("late", "late://r", { title: "t" }, (uri) =>
      contents(uri.href, "late"),
    ),
    template: server.registerResource(
      "late t",
      new sdk.ResourceTemplate("lt://{x}", { list: undefined }),
      {},
      (uri) => contents(uri.href, "lt"),
    ),
  };
}

const CHANGES: readonly (readonly [
  title: string,
  change: (handles: Handles, server: ReturnType<Side["server"]>) => unknown,
])[] = [
  ["registering", () => undefined],
  ["disabling a tool", ({ tool }) => tool.disable()],
  [
    "disabling and enabling a tool",
    ({ tool }) => {
      tool.disable();
      tool.enable();
    },
  ],
  ["removing a tool", ({ tool }) => tool.remove()],
  ["renaming a tool", ({ tool }) => tool.update({ name: "renamed" })],
  [
    "changing every member of a tool",
    ({ tool }) =>
      tool.update({
        title: "T",
        description: "D",
        paramsSchema: z.object({ z: z.number() }),
        outputSchema: z.object({ o: z.string() }),
        annotations: { readOnlyHint: true },
        icons: [{ src: "https://example.com/i.png" }],
        _meta: { m: 1 },
      }),
  ],
  ["removing a tool by name", ({ tool }) => tool.update({ name: null })],
  ["disabling a prompt", ({ prompt }) => prompt.disable()],
  ["removing a prompt", ({ prompt }) => prompt.remove()],
  [
    "changing every member of a prompt",
    ({ prompt }) =>
      prompt.update({
        title: "T",
        description: "D",
        argsSchema: z.object({ who: z.string() }),
        icons: [{ src: "https://example.com/i.png" }],
        _meta: { m: 1 },
      }),
  ],
  ["disabling a resource", ({ resource }) => resource.disable()],
  ["removing a resource", ({ resource }) => resource.remove()],
  [
    "changing every member of a resource",
    ({ resource }) =>
      resource.update({ name: "new", title: "new title", metadata: { description: "new", mimeType: "a/b" } }),
  ],
  ["moving a resource", ({ resource }) => resource.update({ uri: "late://moved" })],
  ["removing a template", ({ template }) => template.remove()],
  [
    "changing a template",
    ({ template }) => template.update({ title: "new", metadata: { description: "d" } }),
  ],
  [
    "reading the members of handles",
    ({ tool, prompt, resource, template }) => [
      tool.description,
      tool.enabled,
      tool.title ?? null,
      prompt.description,
      prompt.enabled,
      resource.name,
      resource.title,
      resource.metadata,
      template.enabled,
    ],
  ],
  [
    "announcing changes",
    (_handles, server) => {
      server.sendToolListChanged();
      server.sendPromptListChanged();
      server.sendResourceListChanged();
    },
  ],
];

describe("changes to registrations", () => {
  test.each(CHANGES)("%s", async (_title, change) => {
    const [first, second] = await bothSides(all);
    const run: Change = (server, sdk) => change(register(server, sdk), server);
    const wanted = await afterChange(first, run);
    expect(wanted).toMatchObject({ heard: expect.arrayContaining(["notifications/tools/list_changed"]) });
    expect(await afterChange(second, run)).toEqual(wanted);
  });

  test("a replaced callback and schema take effect", async () => {
    for (const [, sdk] of SDKS) {
      const { server, client } = await connectSide(sdk, all);
      const { tool, resource, prompt } = register(server(), sdk);
      tool.update({
        paramsSchema: z.object({ b: z.string() }),
        callback: (args) => text(JSON.stringify(args)),
      });
      resource.update({ callback: (uri) => contents(uri.href, "new") });
      prompt.update({
        argsSchema: z.object({ who: z.string() }),
        callback: ({ who }) => ({ messages: [{ role: "user", content: { type: "text", text: who } }] }),
      });
      expect(await client.callTool({ name: "late tool", arguments: { b: "x" } })).toMatchObject(
        text('{"b":"x"}'),
      );
      expect(await client.readResource({ uri: "late://r" })).toMatchObject(contents("late://r", "new"));
      expect(await client.getPrompt({ name: "late prompt", arguments: { who: "me" } })).toMatchObject({
        messages: [{ content: { text: "me" } }],
      });
    }
  });

  test("members of handles can be assigned", async () => {
    const lists = [];
    for (const { server, sdk, client } of await bothSides(all)) {
      const { tool, prompt, resource } = register(server(), sdk);
      Object.assign(tool, { title: "new tool", description: "D", annotations: { readOnlyHint: true } });
      Object.assign(prompt, { title: "new prompt", argsSchema: z.object({ who: z.string() }) });
      Object.assign(resource, { name: "new name", metadata: { mimeType: "a/b" }, cacheHint: { ttlMs: 1 } });
      lists.push(
        plain([
          await client.listTools(),
          await client.listPrompts(),
          (await client.listResources()).resources[1],
        ]),
      );
    }
    expect(lists[0]).toMatchObject([
      {},
      { prompts: [{}, { title: "new prompt" }] },
      { name: "new name", mimeType: "a/b" },
    ]);
    expect(lists[1]).toEqual(lists[0]);
  });

  test.each([
    ["two", 1],
    ["no", 3],
  ] as const)("%s debounced notifications", async (kind, count) => {
    const options =
      kind === "two"
        ? { server: { debouncedNotificationMethods: ["notifications/tools/list_changed"] } }
        : {};
    const heards = [];
    for (const side of await bothSides(all, options)) {
      for (let n = 0; n < 3; n++) side.server().sendToolListChanged();
      await settle();
      heards.push(side.heard.map(({ method }) => method));
    }
    expect(heards[0]).toEqual(Array.from({ length: count }, () => "notifications/tools/list_changed"));
    expect(heards[1]).toEqual(heards[0]);
  });

  test("resource updates are sent to the client", async () => {
    const [first, second] = await bothSides(all);
    for (const { server } of [first, second]) await server().server.sendResourceUpdated({ uri: "a://b" });
    await settle();
    expect(first.heard).toMatchObject([
      { method: "notifications/resources/updated", params: { uri: "a://b" } },
    ]);
    expect(plain(second.heard)).toEqual(plain(first.heard));
  });
});
