import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../src/client/index.js";
import { defineServer } from "../../src/index.js";
import type { Server } from "../../src/core/server.js";

function createServer() {
  const events: string[] = [];
  const server = defineServer({ name: "observed", version: "1.0.0" })
    .use(async (operation, next) => {
      events.push(`middleware ${operation.name}`);
      return next();
    })
    .tool("add", {
      input: z.object({ a: z.number() }),
      handler: ({ a }) => {
        events.push("handler add");
        return String(a);
      },
    })
    .tool("late", {
      handler: async () => {
        await Promise.resolve();
        events.push("handler late");
        return "late";
      },
    })
    .tool("fail", {
      handler: () => {
        throw new Error("failed");
      },
    })
    .resource("menu", { uri: "menu://today", handler: () => "menu" })
    .resourceTemplate("dish", { uriTemplate: "dish://{name}", handler: ({ name }) => name })
    .prompt("greet", { handler: () => "Hello" })
    .build();
  return { server, events };
}

function observe(server: Pick<Server, "observeHandlers">, events: string[]): void {
  server.observeHandlers(() => {
    events.push("start");
    return () => events.push("end");
  });
}

describe("observeHandlers", () => {
  test.each<[string, (client: Awaited<ReturnType<typeof createClient>>) => Promise<unknown>, string[]]>([
    [
      "a tool",
      (client) => client.callTool("add", { a: 1 }),
      ["start", "middleware add", "handler add", "end"],
    ],
    [
      "an async tool",
      (client) => client.callTool("late"),
      ["start", "middleware late", "handler late", "end"],
    ],
    ["a tool that fails", (client) => client.callTool("fail"), ["start", "middleware fail", "end"]],
    ["a resource", (client) => client.readResource("menu://today"), ["start", "middleware menu", "end"]],
    ["a template", (client) => client.readResource("dish://soup"), ["start", "middleware dish", "end"]],
    ["a prompt", (client) => client.getPrompt("greet"), ["start", "middleware greet", "end"]],
  ])("reports the start and the end of %s", async (_name, call, expected) => {
    const { server, events } = createServer();
    observe(server, events);
    const client = await createClient(server);
    await call(client);
    expect(events).toEqual(expected);
  });

  test("does not report a call with invalid arguments", async () => {
    const { server, events } = createServer();
    observe(server, events);
    const client = await createClient(server);
    expect(await client.callTool("add", { a: "x" } as never)).toMatchObject({ isError: true });
    expect(events).toEqual([]);
  });

  test("also applies after an update, and to views", async () => {
    const { server, events } = createServer();
    observe(server, events);
    server.update((editor) => editor.tool("more", { tags: ["new"], handler: () => "more" }));
    const view = server.view({ tags: ["new"] });
    for (const one of [server, view]) await (await createClient(one as Server)).callTool("more");
    expect(events).toEqual(["start", "middleware more", "end", "start", "middleware more", "end"]);
  });

  test("calls the functions in the asynchronous context of the request", async () => {
    const { server } = createServer();
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    server.observeHandlers(() => {
      seen.push(context.getStore());
      return () => seen.push(context.getStore());
    });
    const message = (id: number) =>
      ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "late" } }) as const;
    await Promise.all(
      ["a", "b"].map((name, id) => context.run(name, async () => server.handle(message(id), {}))),
    );
    expect(seen.toSorted((a = "", b = "") => a.localeCompare(b))).toEqual(["a", "a", "b", "b"]);
  });

  test("keeps the definitions, the lists, and the results", async () => {
    const plain = await createClient(createServer().server);
    const { server, events } = createServer();
    observe(server, events);
    const observed = await createClient(server);
    expect(await observed.listTools()).toEqual(await plain.listTools());
    expect(await observed.callTool("add", { a: 2 })).toEqual(await plain.callTool("add", { a: 2 }));
  });
});
