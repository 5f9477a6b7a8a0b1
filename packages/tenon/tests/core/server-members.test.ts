import { expect, test } from "vitest";
import { type Change, defineServer, Server, ServerBuilder } from "../../src/index.js";
import { createPromptEntry } from "../../src/host/index.js";
import { Connection } from "../../src/core/wire/connection.js";
import { createClient } from "../../src/testing/index.js";

const INFO = { name: "a", version: "1" };

test("R6: Server is the class of built servers, and Server.builder() creates a builder", () => {
  const builder = Server.builder();
  expect(builder).toBeInstanceOf(ServerBuilder);
  const server = builder.serverInfo("b", "2").build();
  expect(server).toBeInstanceOf(Server);
  expect(server.info).toEqual({ name: "b", version: "2" });
});

test("a server is observed while a connection is attached or a listener is subscribed", () => {
  const server = defineServer(INFO).build();
  expect(server.isObserved).toBe(false);
  const detach = server.attach(new Connection(), () => undefined);
  expect(server.isObserved).toBe(true);
  detach();
  expect(server.isObserved).toBe(false);
  const unsubscribe = server.onChange(() => undefined);
  expect(server.isObserved).toBe(true);
  unsubscribe();
  expect(server.isObserved).toBe(false);
});

test.each(["tools", "resources", "prompts"] as const)(
  "notifyListChanged publishes a change of %s",
  (kind) => {
    const server = defineServer(INFO).build();
    const changes: Change[] = [];
    server.onChange((change) => changes.push(change));
    void server.notifyListChanged(kind);
    expect(changes).toEqual([{ kind }]);
  },
);

test("createPromptEntry runs the server's middleware around a handler that returns text", async () => {
  const names: string[] = [];
  const server = defineServer(INFO)
    .use((operation, next) => {
      names.push(`${operation.kind} ${operation.name}`);
      return next();
    })
    .build();
  server.update((editor) =>
    editor.replace({
      prompts: [
        {
          name: "hello",
          compile: (settings) =>
            createPromptEntry(settings, {
              definition: { name: "hello", description: "Greets" },
              check: () => ({ value: "Ada" }),
              handler: (who) => `Hello, ${String(who)}!`,
            }),
        },
      ],
    }),
  );
  const client = await createClient(server);
  expect((await client.getPrompt("hello")).messages).toEqual([
    { role: "user", content: { type: "text", text: "Hello, Ada!" } },
  ]);
  expect(names).toEqual(["prompt hello"]);
});
