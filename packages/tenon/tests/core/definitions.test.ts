import { describe, expect, test } from "vitest";
import {
  FnToolHandler,
  McpError,
  parseResources,
  parseTools,
  Server,
  textResult,
  Tool,
  type ToolHandler,
} from "../../src/index.js";
import { parseSchemaMeta, validateArguments } from "../../src/core/definitions/validate.js";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";
import { defineServer } from "../../src/core/define-server.js";
import { handle, replyTo, request, toolCall } from "../../../../tests/support/requests.js";

const CONTACT = {
  name: "contact",
  description: "Finds a contact",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string" }, email: {}, first: {}, last: {}, street: {}, city: {}, zip: {} },
    required: ["id"],
    oneOf: [{ required: ["email"] }, { required: ["first", "last"] }],
    dependencies: { street: ["city", "zip"] },
  },
};

describe("JSON definitions", () => {
  test("R34: are JSON arrays without code", () => {
    expect(parseTools(JSON.stringify([CONTACT]))[0]?.name).toBe("contact");
    expect(parseTools(new TextEncoder().encode(JSON.stringify([CONTACT])))[0]?.name).toBe("contact");
    expect(parseTools([CONTACT])[0]?.name).toBe("contact");
  });

  test("R19: a tool keeps its raw schema for clients and its rules for validation", () => {
    const [tool] = parseTools([CONTACT]);
    expect(tool?.description).toBe("Finds a contact");
    expect(tool?.inputSchema).toEqual(CONTACT.inputSchema);
    expect(tool?.validateArguments({})).toBe('missing required field "id"');
  });

  test("R10: a tool serializes to its public members under their MCP names", () => {
    expect(JSON.parse(JSON.stringify(parseTools([CONTACT])[0]))).toEqual(CONTACT);
  });

  test("R12: the rules are parsed when a tool is loaded, and later changes to the source do not affect them", () => {
    const source = structuredClone(CONTACT);
    const tool = new Tool(source);
    source.inputSchema.required.push("never");
    expect(tool.validateArguments({ id: "1", email: "a" })).toBeUndefined();
    expect(Object.isFrozen(tool)).toBe(true);
    expect(Object.isFrozen(tool.inputSchema["required"])).toBe(true);
  });

  test("R20: resources are parsed directly to their type", () => {
    const source = [{ name: "a", uri: "doc://a", title: "A", mimeType: "text/plain", size: 3 }];
    expect(parseResources(JSON.stringify(source))).toEqual(source);
  });

  test("a tool without inputSchema takes any object", () => {
    expect(parseTools([{ name: "a" }])[0]?.inputSchema).toEqual({ type: "object" });
  });

  test("every definition member is kept", () => {
    const full = {
      ...CONTACT,
      title: "Contact",
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      icons: [{ src: "data:," }],
      _meta: { a: 1 },
    };
    expect(JSON.parse(JSON.stringify(parseTools([full])[0]))).toEqual(full);
  });

  test.each([
    ["[", "tools.json: the content is not valid JSON ("],
    ["{}", "tools.json: expected a JSON array of definitions; got an object."],
    ["[1]", "tools.json[0]: the definition must be an object; got a number."],
    ["[{}]", "tools.json[0]: `name` must be a non-empty string; got undefined."],
    ['[{"name":""}]', "tools.json[0]: `name` must be a non-empty string; got an empty string."],
    [
      '[{"name":"a"},{"name":"a"}]',
      'tools.json[1]: "a" is already defined at tools.json[0]. Names must be unique.',
    ],
    ['[{"name":"a","description":1}]', "tools.json[0]: `description` must be a string; got a number."],
    ['[{"name":"a","inputSchema":1}]', "tools.json[0]: `inputSchema` must be an object; got a number."],
    ['[{"name":"a","outputSchema":1}]', "tools.json[0]: `outputSchema` must be an object; got a number."],
    ['[{"name":"a","annotations":1}]', "tools.json[0]: `annotations` must be an object; got a number."],
  ])("%s is rejected with the source, the index, and the reason", (source, reason) => {
    expect(() => parseTools(source, "tools.json")).toThrow(reason);
  });

  test.each([
    ['[{"name":"a"}]', "r[0]: `uri` must be a non-empty string; got undefined."],
    ['[{"name":"a","uri":"x:","mimeType":1}]', "r[0]: `mimeType` must be a string; got a number."],
    ['[{"name":"a","uri":"x:","size":"1"}]', "r[0]: `size` must be a number; got a string."],
  ])("the resource %s is rejected with the source, the index, and the reason", (source, reason) => {
    expect(() => parseResources(source, "r")).toThrow(reason);
  });

  test("bytes that are not UTF-8 are rejected", () => {
    expect(() => parseTools(new Uint8Array([0xff]), "tools.json")).toThrow(
      "tools.json: the content is not valid UTF-8.",
    );
  });
});

describe("presence check of declared tools", () => {
  const meta = parseSchemaMeta(CONTACT.inputSchema);

  test("R21: parses three kinds of rules", () => {
    expect(meta).toEqual({
      required: ["id"],
      oneOf: [["email"], ["first", "last"]],
      dependencies: new Map([["street", ["city", "zip"]]]),
    });
    expect(parseSchemaMeta({ required: "x", oneOf: [{ type: "object" }, 3], dependencies: [] })).toEqual({
      required: [],
      oneOf: [],
      dependencies: new Map(),
    });
  });

  test.each([
    [{}, 'missing required field "id"'],
    [{ street: "s" }, 'missing required field "id"'],
    [{ id: 1, street: "s" }, "arguments must satisfy oneOf requirements"],
    [{ id: 1, first: "a" }, "arguments must satisfy oneOf requirements"],
    [{ id: 1, email: "e", street: "s" }, 'field "street" requires "city" to also be present'],
    [{ id: 1, email: "e", street: "s", city: "c" }, 'field "street" requires "zip" to also be present'],
    [{ id: 1, email: "e", street: "s", city: "c", zip: "z" }, undefined],
    [{ id: null, first: 1, last: false }, undefined],
    [{ id: 1, email: 1, first: 1, last: 1 }, undefined],
  ])("R22, R23: %j gives %s", (args, problem) => {
    expect(validateArguments(meta, args)).toBe(problem);
  });

  test("inherited names do not count as fields", () => {
    expect(validateArguments(parseSchemaMeta({ required: ["toString"] }), {})).toBe(
      'missing required field "toString"',
    );
  });
});

describe("declared tools in a server", () => {
  const serverWith = (handler: ToolHandler, options = {}) =>
    defineServer({ name: "a", version: "1", ...options })
      .tools([CONTACT])
      .build()
      .handleTool("contact", handler);

  test("R35, R37: invalid arguments are -32602 and the handler never runs", async () => {
    let ran = false;
    const server = serverWith({ call: () => ((ran = true), "x") });
    expect((await replyTo(server, toolCall("contact", { email: "a" }))).error).toEqual({
      code: -32602,
      message: 'missing required field "id"',
    });
    expect((await replyTo(server, toolCall("contact"))).error?.code).toBe(-32602);
    expect(ran).toBe(false);
  });

  test("R37: `validationErrors` reports them as a result instead", async () => {
    const server = serverWith({ call: () => "x" }, { validationErrors: "result" });
    expect((await replyTo(server, toolCall("contact", {}))).result).toEqual({
      content: [{ type: "text", text: 'Validation failed: missing required field "id"' }],
      isError: true,
    });
  });

  test("R36: types, patterns, and ranges are checked only with `validation: schema`", async () => {
    const tools = [
      {
        name: "n",
        inputSchema: { type: "object", properties: { n: { type: "number", minimum: 3 } }, required: ["n"] },
      },
    ];
    const light = defineServer({ name: "a", version: "1" })
      .tools(tools)
      .build()
      .handleTool("n", { call: () => "ran" });
    expect((await replyTo(light, toolCall("n", { n: "text" }))).result).toMatchObject({
      content: [{ text: "ran" }],
    });

    const jsonSchema = await loadJsonSchema();
    const full = defineServer({ name: "a", version: "1", jsonSchema })
      .tools(tools, { validation: "schema" })
      .build()
      .handleTool("n", { call: () => "ran" });
    expect((await replyTo(full, toolCall("n", {}))).error?.message).toBe('missing required field "n"');
    expect((await replyTo(full, toolCall("n", { n: "text" }))).error).toEqual({
      code: -32602,
      message: "n: must be number",
    });
    expect((await replyTo(full, toolCall("n", { n: 2 }))).error?.message).toBe("n: must be >= 3");
    expect((await replyTo(full, toolCall("n", { n: 3 }))).result).toMatchObject({
      content: [{ text: "ran" }],
    });
  });

  test("`validation: schema` does not apply JSON Schema's `oneOf` to a list of required sets", async () => {
    const server = defineServer({ name: "a", version: "1", jsonSchema: await loadJsonSchema() })
      .tools([CONTACT], { validation: "schema" })
      .build()
      .handleTool("contact", { call: () => "ran" });
    const both = { id: "1", email: "e", first: "f", last: "l" };
    expect((await replyTo(server, toolCall("contact", both))).result).toMatchObject({
      content: [{ text: "ran" }],
    });
  });

  test("`validation: schema` also checks a declared tool's output", async () => {
    const server = defineServer({ name: "a", version: "1", jsonSchema: await loadJsonSchema() })
      .tools(
        [{ name: "n", inputSchema: { type: "object" }, outputSchema: { type: "object", required: ["n"] } }],
        { validation: "schema" },
      )
      .build();
    server.handleTool("n", { call: () => ({ n: 1 }) });
    expect((await replyTo(server, toolCall("n"))).result).toMatchObject({ content: [{ text: '{"n":1}' }] });
    server.handleTool("n", { call: () => ({}) });
    expect((await replyTo(server, toolCall("n"))).result).toMatchObject({ isError: true });
  });

  test("an invalid schema fails the build with the tool's name and the path", async () => {
    const jsonSchema = await loadJsonSchema();
    const build = () =>
      defineServer({ name: "a", version: "1", jsonSchema })
        .tools([{ name: "bad", inputSchema: { type: "object", properties: { n: { type: "strng" } } } }], {
          validation: "schema",
        })
        .build();
    expect(build).toThrow(/^Tool "bad": the input schema is not a valid JSON Schema: \/properties\/n\/type /);
  });

  test("R13, R15: one handler serves all requests, receives arguments and context, and can fail with an McpError", async () => {
    class Counter implements ToolHandler<string> {
      calls = 0;
      call(_args: unknown, context: string) {
        this.calls += 1;
        if (context === "return") return new McpError("CONFLICT", "returned");
        if (context === "throw") throw new McpError("CONFLICT", "thrown");
        return textResult(`${context} ${this.calls}`);
      }
    }
    const counter = new Counter();
    const server = Server.builder<string>()
      .tools([{ name: "n", inputSchema: { type: "object" } }])
      .build()
      .handleTool("n", counter);
    const call = async (context: string) =>
      (await server.handle(toolCall("n"), context)).intoJsonRpc()?.result;
    expect(await call("a")).toEqual({ content: [{ type: "text", text: "a 1" }] });
    expect(await call("b")).toEqual({ content: [{ type: "text", text: "b 2" }] });
    expect(await call("return")).toEqual({ content: [{ type: "text", text: "returned" }], isError: true });
    expect(await call("throw")).toEqual({ content: [{ type: "text", text: "thrown" }], isError: true });
    expect(counter.calls).toBe(4);
  });

  test("R16: FnToolHandler wraps a closure", async () => {
    const server = serverWith(new FnToolHandler(async (args) => textResult(`hello ${String(args["id"])}`)));
    const args = { id: 7, email: "e" };
    expect((await replyTo(server, toolCall("contact", args))).result).toEqual({
      content: [{ type: "text", text: "hello 7" }],
    });
  });

  test("R32: handlers are attached after the build, can be replaced, and require a JSON definition", async () => {
    const server = serverWith(new FnToolHandler(() => "first"));
    server.handleTool("contact", new FnToolHandler(() => "second"));
    const args = { id: 7, email: "e" };
    expect((await replyTo(server, toolCall("contact", args))).result).toMatchObject({
      content: [{ text: "second" }],
    });
    expect(() => server.handleTool("nope", new FnToolHandler(() => ""))).toThrow(
      'Tool "nope" is not defined in JSON. Define it with `tools` or `toolsJson` before you attach a handler.',
    );
    expect(() => server.handleResource("nope", { call: () => "" })).toThrow(
      'Resource "nope" is not defined in JSON. Define it with `resources` or `resourcesJson` before you attach a handler.',
    );
  });

  test("R33: definitions can be added as JSON and as a list", async () => {
    const server = Server.builder()
      .toolsJson('[{"name":"a"}]')
      .toolsJson(new TextEncoder().encode('[{"name":"b"}]'))
      .tools([{ name: "c", inputSchema: { type: "object" } }])
      .tools(parseTools('[{"name":"d"}]'))
      .resourcesJson('[{"name":"a","uri":"doc://a"}]')
      .resources([{ name: "b", uri: "doc://b" }])
      .build();
    const tools = (await replyTo(server, request("tools/list"))).result as { tools: { name: string }[] };
    expect(tools.tools.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    const resources = (await replyTo(server, request("resources/list"))).result as { resources: unknown[] };
    expect(resources.resources).toHaveLength(2);
  });

  test("duplicates across sources fail the build", () => {
    expect(() => Server.builder().toolsJson('[{"name":"a"}]').toolsJson('[{"name":"a"}]').build()).toThrow(
      'Tool "a" is already defined. Names must be unique.',
    );
    const resources = '[{"name":"a","uri":"doc://a"}]';
    expect(() => Server.builder().resourcesJson(resources).resourcesJson(resources).build()).toThrow(
      'Resource URI "doc://a" is already defined. URIs must be unique.',
    );
    expect(() =>
      Server.builder().resourcesJson(resources).resourcesJson('[{"name":"a","uri":"doc://b"}]').build(),
    ).toThrow('Resource "a" is already defined. Names must be unique.');
  });

  test("R11: call and read parameters do not have a public type", async () => {
    const names = Object.keys(await import("../../src/index.js"));
    expect(names).not.toContain("ToolCallParams");
    expect(names).not.toContain("ResourceReadParams");
  });

  test("`validation: schema` without a validator fails with instructions", async () => {
    const build = () =>
      defineServer({ name: "a", version: "1" }).tools([CONTACT], { validation: "schema" }).build();
    expect(build).toThrow(
      /^Tool "contact": the input schema is a JSON Schema, which requires a validator\. Install typebox /,
    );
    expect((await handle(Server.builder().tools([CONTACT]).build(), request("tools/list"))).kind).toBe(
      "cached",
    );
  });
});
