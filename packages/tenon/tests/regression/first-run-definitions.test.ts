import * as v from "valibot";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createTool } from "../../src/grouped/index.js";
import { defineServer, extension, Server } from "../../src/index.js";
import { loadJsonSchema } from "../../src/schema/json-schema/index.js";
import { createClient } from "../../src/testing/index.js";

/** Invalid values in definitions were ignored, or failed later with a message that did not name the cause. */

const INFO = { name: "a", version: "1" };
const handler = () => "x";
const define = () => defineServer(INFO);

/** Hides the type error of a mistake that is possible in plain JavaScript. */
const wrong = (value: unknown) => value as never;

describe("first-run-a3: unknown options", () => {
  test.each<[string, () => unknown, string]>([
    [
      "defineServer",
      () => defineServer(wrong({ ...INFO, logger: console })),
      "defineServer: unknown option `logger`. Did you mean `log`?",
    ],
    [
      "defineServer, misspelled",
      () => defineServer(wrong({ ...INFO, pagesize: 3 })),
      "defineServer: unknown option `pagesize`. Did you mean `pageSize`?",
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ inputSchema: z.object({}), handler })),
      'Tool "t": unknown option `inputSchema`. Did you mean `input`?',
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ outputSchema: z.object({}), handler })),
      'Tool "t": unknown option `outputSchema`. Did you mean `output`?',
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ parameters: z.object({}), handler })),
      'Tool "t": unknown option `parameters`. Did you mean `input`?',
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ schema: z.object({}), handler })),
      'Tool "t": unknown option `schema`. Did you mean `input`?',
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ scope: ["admin"], handler })),
      'Tool "t": unknown option `scope`. Did you mean `scopes`?',
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ execute: handler })),
      'Tool "t": unknown option `execute`. Did you mean `handler`?',
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ run: handler })),
      'Tool "t": unknown option `run`. Did you mean `handler`?',
    ],
    [
      "a tool",
      () => define().tool("t", wrong({ fn: handler })),
      'Tool "t": unknown option `fn`. Did you mean `handler`?',
    ],
    [
      "a tool in an update",
      () =>
        define()
          .build()
          .update((editor) => editor.tool("t", wrong({ inputSchema: {}, handler }))),
      'Tool "t": unknown option `inputSchema`. Did you mean `input`?',
    ],
    [
      "a resource",
      () => define().resource("r", wrong({ url: "a://b", handler })),
      'Resource "r": unknown option `url`. Did you mean `uri`?',
    ],
    [
      "a resource",
      () => define().resource("r", wrong({ uri: "a://b", scope: [], handler })),
      'Resource "r": unknown option `scope`. Did you mean `scopes`?',
    ],
    [
      "a template",
      () => define().resourceTemplate("r", wrong({ uri: "a://{b}", handler })),
      'Resource template "r": unknown option `uri`. Did you mean `uriTemplate`?',
    ],
    [
      "a prompt",
      () => define().prompt("p", wrong({ args: [], handler })),
      'Prompt "p": unknown option `args`. Did you mean `arguments`?',
    ],
    [
      "a prompt",
      () => define().prompt("p", wrong({ argsSchema: {}, handler })),
      'Prompt "p": unknown option `argsSchema`. Did you mean `arguments`?',
    ],
    [
      "an extension",
      () => extension(wrong({ id: "a.b/c", method: {} })),
      'Extension "a.b/c": unknown option `method`. Did you mean `methods`?',
    ],
    [
      "an extension's method",
      () => extension(wrong({ id: "a.b/c", methods: { "x/y": { era: ["modern"], handler } } })),
      'Extension "a.b/c": method "x/y": unknown option `era`. Did you mean `eras`?',
    ],
    [
      "tools as data",
      () => define().toolsJson([], wrong({ validate: "schema" })),
      "toolsJson: unknown option `validate`. Did you mean `validation`?",
    ],
    [
      "resources as data",
      () => define().resources([], wrong({ name: "x" })),
      "resources: unknown option `name`. Known options: `validation`, `label`, `expose`.",
    ],
  ])("of %s are rejected with the name that was meant: %#", (_name, make, message) => {
    expect(make).toThrow(new TypeError(message));
  });
});

describe("first-run-a3: a schema of the wrong kind", () => {
  const label = 'Tool "t": the input schema';
  const oldZod = Object.assign(Object.create(null) as object, {
    _def: { typeName: "ZodObject" },
    safeParse: () => ({}),
    parse: () => ({}),
  });
  test.each<[string, unknown, string]>([
    [
      "a raw Zod shape",
      { city: z.string() },
      `${label} is a plain object of schemas. Wrap it in z.object({ … }).`,
    ],
    [
      "a raw Zod shape with data",
      { city: z.string(), n: 1 },
      `${label} is a plain object of schemas. Wrap it in z.object({ … }).`,
    ],
    [
      "a raw Zod 3 shape",
      { city: z3.string() },
      `${label} is a plain object of schemas. Wrap it in z.object({ … }).`,
    ],
    ["an empty object", {}, `${label} is an empty object. Omit it, or use z.object({}).`],
    [
      "Zod 3",
      z3.object({ city: z3.string() }),
      `${label} cannot be converted to JSON Schema. Use zod 4.2 or later; Zod 3 schemas are not supported.`,
    ],
    [
      "Zod 3 before 3.24",
      oldZod,
      `${label} cannot be converted to JSON Schema. Use zod 4.2 or later; Zod 3 schemas are not supported.`,
    ],
  ])("is rejected with the fix: %s", (_name, input, message) => {
    const make = () =>
      define()
        .tool("t", { input: wrong(input), handler })
        .build();
    expect(make).toThrow(new Error(message));
  });

  test("is rejected with the fix even if a JSON Schema validator is present", async () => {
    const jsonSchema = await loadJsonSchema();
    const builder = defineServer({ ...INFO, jsonSchema });
    expect(() => builder.tool("t", { input: wrong({ type: z.string() }), handler }).build()).toThrow(
      new Error(`${label} is a plain object of schemas. Wrap it in z.object({ … }).`),
    );
    const other = defineServer({ ...INFO, jsonSchema });
    expect(() => other.tool("u", { input: wrong(oldZod), handler }).build()).toThrow("Zod 3");
  });
});

describe("first-run-a3: prompt arguments that are not text", () => {
  test.each<[string, unknown, string]>([
    ["a number", z.object({ days: z.number() }), "a number schema"],
    ["an optional integer", z.object({ days: z.int().optional() }), "an integer schema"],
    ["a boolean", z.object({ days: z.boolean() }), "a boolean schema"],
    ["a list", z.object({ days: z.array(z.string()) }), "an array schema"],
    ["an object", z.object({ days: z.object({ n: z.string() }) }), "an object schema"],
    ["a literal number", z.object({ days: z.literal(5) }), "a number schema"],
    ["a number of another library", toStandardJsonSchema(v.object({ days: v.number() })), "a number schema"],
  ])("are rejected: %s", (_name, declared, kind) => {
    expect(() =>
      define()
        .prompt("p", { arguments: wrong(declared), handler })
        .build(),
    ).toThrow(
      new Error(
        `Prompt "p": the argument "days" must accept text, because MCP clients send strings; got ${kind}. ` +
          "Use z.string(), or convert the text: z.coerce.number().",
      ),
    );
  });

  test("are accepted if they convert text", async () => {
    const server = define()
      .prompt("p", {
        arguments: z.object({
          days: z.coerce.number().min(10),
          flag: z.stringbool(),
          list: z.preprocess((text) => String(text).split(","), z.array(z.string())),
          unit: z.enum(["C", "F"]),
          either: z.union([z.string(), z.number()]),
          any: z.any(),
          length: z.string().transform((text) => text.length),
        }),
        handler: (args) => JSON.stringify(args),
      })
      .build();
    const client = await createClient(server);
    const args = { days: "12", flag: "true", list: "a,b", unit: "C", either: "x", any: "y", length: "abc" };
    const { messages } = await client.getPrompt("p", args);
    expect(messages[0]?.content).toMatchObject({
      text: '{"days":12,"flag":true,"list":["a","b"],"unit":"C","either":"x","any":"y","length":3}',
    });
  });
});

describe("first-run-a3: other invalid values", () => {
  test.each<[string, () => unknown, string]>([
    [
      "a variable in a fixed URI",
      () => define().resource("r", { uri: "notes://{id}", handler }).build(),
      'Resource "r": `uri` contains the variable "{id}". Use `.resourceTemplate("r", { uriTemplate: "notes://{id}", … })`.',
    ],
    [
      "a URI template of a fixed resource",
      () =>
        define()
          .resource("r", wrong({ uriTemplate: "notes://{id}", handler }))
          .build(),
      'Resource "r": `uriTemplate` belongs to a resource template. Use `.resourceTemplate("r", { uriTemplate: "notes://{id}", … })`.',
    ],
    [
      "a variable in a declared URI",
      () => define().resourcesJson([{ name: "r", uri: "notes://{id}" }]),
      'resources[0]: `uri` contains the variable "{id}". Declared resources have fixed URIs; use `.resourceTemplate()` instead.',
    ],
    [
      "a missing version",
      () => defineServer(wrong({ name: "a" })),
      'defineServer: `version` is required. Set it to a non-empty string, such as "1.0.0".',
    ],
    [
      "an empty version",
      () => defineServer({ name: "a", version: "" }),
      'defineServer: `version` must be a non-empty string, such as "1.0.0"; got "".',
    ],
    [
      "a number as version",
      () => defineServer(wrong({ name: "a", version: 1 })),
      'defineServer: `version` must be a non-empty string, such as "1.0.0"; got 1.',
    ],
    [
      "a missing name",
      () => defineServer(wrong({ version: "1" })),
      "defineServer: `name` is required. Set it to a non-empty string.",
    ],
    [
      "no options",
      () => defineServer(wrong(undefined)),
      'defineServer: the options must be an object such as { name: "weather", version: "1.0.0" }; got undefined.',
    ],
    [
      "a name instead of options",
      () => defineServer(wrong("weather")),
      'defineServer: the options must be an object such as { name: "weather", version: "1.0.0" }; got a string.',
    ],
    [
      "serverInfo without a version",
      () => Server.builder().serverInfo("a", wrong(undefined)),
      'serverInfo: `version` is required. Set it to a non-empty string, such as "1.0.0".',
    ],
    [
      "a tool without a handler",
      () =>
        define()
          .tool("t", wrong({ handler: null }))
          .build(),
      'Tool "t": `handler` must be a function; got null.',
    ],
    [
      "a tool without a definition",
      () => define().tool("t", wrong(undefined)).build(),
      'Tool "t": the options must be an object with a `handler`; got undefined.',
    ],
    [
      "a function instead of a definition",
      () => define().tool("t", wrong(handler)).build(),
      'Tool "t": the options must be an object with a `handler`; got a function.',
    ],
    [
      "a resource without a handler",
      () =>
        define()
          .resource("r", wrong({ uri: "a://b", handler: null }))
          .build(),
      'Resource "r": `handler` must be a function; got null.',
    ],
    [
      "a template without a handler",
      () =>
        define()
          .resourceTemplate("r", wrong({ uriTemplate: "a://{b}" }))
          .build(),
      'Resource template "r": `handler` is required. Set it to a function.',
    ],
    [
      "a prompt without a handler",
      () =>
        define()
          .prompt("p", wrong({ handler: "text" }))
          .build(),
      'Prompt "p": `handler` must be a function; got "text".',
    ],
    [
      "a completer",
      () =>
        define()
          .prompt("p", { arguments: [{ name: "a" }], complete: { a: wrong(["x"]) }, handler })
          .build(),
      'Prompt "p": the completer for "a" must be a function; got an array.',
    ],
    [
      "a completer of a template",
      () =>
        define()
          .resourceTemplate("r", { uriTemplate: "a://{b}", complete: { b: wrong(null) }, handler })
          .build(),
      'Resource template "r": the completer for "b" must be a function; got null.',
    ],
    ["a middleware", () => define().use(wrong(null)), "`use`: middleware must be a function; got null."],
    [
      "an extension method without a handler",
      () => extension(wrong({ id: "a.b/c", methods: { "x/y": {} } })),
      'Extension "a.b/c": method "x/y": `handler` is required. Set it to a function.',
    ],
    [
      "a grouped tool passed to `.tool`",
      () => define().tool(wrong(createTool("g").action({ name: "a", handler })), wrong(undefined)),
      "`.tool()` takes a name and a definition; got a grouped tool. Use `.tools(…)`.",
    ],
    [
      "a definition without a name",
      () =>
        define()
          .tool(wrong({ name: "t", handler }), wrong(undefined))
          .build(),
      'Tool: the name must be a non-empty string; got an object. Pass it first: `.tool("name", { … })`.',
    ],
    [
      "an OpenAI schema",
      () => define().toolsJson([{ name: "t", parameters: { type: "object" } }]),
      "tools[0]: unknown option `parameters`. Did you mean `inputSchema`?",
    ],
    [
      "an Anthropic schema",
      () => define().toolsJson([{ name: "t", input_schema: { type: "object" } }]),
      "tools[0]: unknown option `input_schema`. Did you mean `inputSchema`?",
    ],
  ])("are rejected: %s", (_name, make, message) => {
    expect(make).toThrow(expect.objectContaining({ message }));
  });
});
