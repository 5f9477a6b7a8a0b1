import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { AgentServerBuilder } from "../src/builder.js";
import * as agent from "../src/index.js";
import type { ToolParam, ToolParamMeta } from "../src/index.js";
import { ServerConfigSchema } from "../src/config.js";
import { defineMessage } from "../src/messages/define-message.js";
import { defineTool } from "../src/tools/define-tool.js";
import { RegistrationError } from "../src/shared/errors.js";
import { MessageRegistry } from "../src/messages/message-registry.js";
import { AgentServer } from "../src/server.js";
import { ToolRegistry } from "../src/tools/tool-registry.js";

const shout = defineTool({
  name: "my_tool",
  description: "My custom tool",
  whenToUse: "When needed",
  params: [{ name: "input", optional: false, description: "Input text" }],
  useExamples: ["<my_tool><input>test</input></my_tool>"],
  invoke: async ({ params }) => ({ message: "Done", toolResult: params.input.toUpperCase() }),
});
const note = defineMessage({ type: "myNotification", dataSchema: z.object({ text: z.string() }) });

describe("the agent server builder", () => {
  test("A14, A15: the chain from the requirements builds a server", () => {
    const server = new AgentServerBuilder()
      .port(8080)
      .storagePath("./my-storage")
      .registerTool(shout)
      .registerMessage(note)
      .build();
    expect(server).toBeInstanceOf(AgentServer);
    expect(server.config).toEqual({ port: 8080, storagePath: "./my-storage" });
    expect(server.tools.get("my_tool")).toBe(shout);
    expect(server.messages.get("myNotification")).toBe(note);
  });

  test("A1, A3: all settings have defaults", () => {
    expect(new AgentServerBuilder().build().config).toEqual({ port: 10_013, storagePath: "./storage" });
  });

  test("a lookup by name is typed", async () => {
    const server = new AgentServerBuilder().registerTool(shout).registerMessage(note).build();
    const found = server.tools.get("my_tool");
    expectTypeOf(found).toEqualTypeOf(shout);
    expectTypeOf(server.messages.get("myNotification")).toEqualTypeOf(note);
    const call = { params: { input: "hey" }, getCurrentTask: () => "task", getToolFromName: () => undefined };
    const { toolResult } = await found.invoke(call);
    expectTypeOf(toolResult).toEqualTypeOf<string>();
    expect(toolResult).toBe("HEY");
    expect(server.tools.get("other")).toBeUndefined();
  });

  test("A2, A20: a server runs tool calls that a model writes", async () => {
    const { toolService } = new AgentServerBuilder().registerTool(shout).build();
    const getCurrentTask = () => "task";
    const run = (xmlParams: string) => toolService.parseAndExecute({ xmlParams, getCurrentTask });
    expect(await run("<my_tool><input>hey</input></my_tool>")).toEqual({
      message: "Done",
      params: { input: "hey" },
      toolResult: "HEY",
    });
    expect((await run("<my_tool></my_tool>")).message).toMatch(
      /^Tool 'my_tool' parameter validation failed: input: /,
    );
  });

  test("C15: registrations and settings after build affect only the next server", () => {
    const builder = new AgentServerBuilder().port(8080);
    const before = builder.build();
    builder.port(9090).registerTool(shout).registerMessage(note);
    const after = builder.build();
    expect([before.config.port, before.tools.size, before.messages.size]).toEqual([8080, 0, 0]);
    expect([after.config.port, after.tools.size, after.messages.size]).toEqual([9090, 1, 1]);
  });

  test("the configuration of a server is frozen", () => {
    const { config } = new AgentServerBuilder().build();
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError);
  });

  test("A15: a server can be created without the builder, and copies the registries", () => {
    const toolRegistry = new ToolRegistry();
    const server = new AgentServer({
      config: ServerConfigSchema.parse({}),
      toolRegistry,
      messageRegistry: new MessageRegistry(),
    });
    toolRegistry.register(shout);
    expect(server.tools.size).toBe(0);
  });

  test.each([
    ["A31: port(0)", (b: AgentServerBuilder) => b.port(0), "Port must be between 1 and 65535"],
    ["A31: port(65536)", (b: AgentServerBuilder) => b.port(65_536), "Port must be between 1 and 65535"],
    [
      "A32: an empty path",
      (b: AgentServerBuilder) => b.storagePath(""),
      "Storage path must be a valid string",
    ],
    [
      "maxConnections(0)",
      (b: AgentServerBuilder) => b.maxConnections(0),
      "`maxConnections` must be a positive integer; got 0.",
    ],
  ])("A19: %s throws a ZodError in build, not in the method", (_name, set, message) => {
    const builder = set(new AgentServerBuilder());
    expect(() => builder.build()).toThrow(z.ZodError);
    expect(() => builder.build()).toThrow(message);
  });

  test("A33: a tool name can be registered once", () => {
    const builder = new AgentServerBuilder().registerTool(shout);
    expect(() => builder.registerTool(shout)).toThrow(
      new RegistrationError("Tool 'my_tool' is already registered"),
    );
    expect(builder.build().tools.size).toBe(1);
  });

  test("A34: a message type can be registered once", () => {
    const builder = new AgentServerBuilder().registerMessage(note);
    expect(() => builder.registerMessage(note)).toThrow(
      new RegistrationError("Message type 'myNotification' is already registered"),
    );
  });

  test.each(["userSendMessage", "interrupt", "loadTask", "resume", "error", "ack", "message", "alert"])(
    "%s is a built-in type and cannot be registered",
    (type) => {
      const message = defineMessage({ type, dataSchema: z.object({}) });
      const text = `Message type '${type}' is built in. Choose a different type.`;
      expect(() => new AgentServerBuilder().registerMessage(message)).toThrow(new RegistrationError(text));
      const parts = { config: ServerConfigSchema.parse({}), toolRegistry: new ToolRegistry() };
      const messageRegistry = new MessageRegistry().register(message);
      expect(() => new AgentServer({ ...parts, messageRegistry })).toThrow(new RegistrationError(text));
    },
  );

  test("A21, A24: invalid definitions are rejected at registration", () => {
    const builder = new AgentServerBuilder();
    expect(() => builder.registerTool({ ...shout, whenToUse: "" })).toThrow(RegistrationError);
    expect(() => builder.registerMessage({ ...note, type: "" as "myNotification" })).toThrow(
      RegistrationError,
    );
    // @ts-expect-error a caller without types
    expect(() => builder.registerMessage(undefined)).toThrow(RegistrationError);
  });
});

test("A14, A15: the names of the builder and the server in the design document are aliases", () => {
  expect(agent.AmigoServerBuilder).toBe(agent.AgentServerBuilder);
  expect(agent.AmigoServer).toBe(agent.AgentServer);
});

test("A43: the entry point exports the required names, and both parameter names are the same type", () => {
  const named = [
    "AmigoServerBuilder",
    "defineTool",
    "defineMessage",
    "ToolRegistry",
    "MessageRegistry",
    "RegistrationError",
    "ValidationError",
  ];
  expect(named.filter((name) => !(name in agent))).toEqual([]);
  const param: ToolParamMeta = { name: "query", description: "What to look for", optional: false };
  expect(param satisfies ToolParam).toBe(param);
});
