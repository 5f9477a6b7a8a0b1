/**
 * @fileoverview Results and errors of an application's own request handlers are checked and converted as in the official
 * SDK, version 2.
 * @module tests/sdk/v2/low-level-results
 */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { answersOf, compare, type Era, ERAS, type Register, type Side } from "../support/v2/both-sides.js";
import { handlersOf, modern, sendBoth } from "../support/v2/http.js";

/** Sets the application's own handler of a method. Its result may have any type. */
function own(method: string, handler: () => unknown): Register {
  return ({ server }) => {
    server.registerCapabilities({ tools: {}, prompts: {}, resources: {} });
    if (method.startsWith("example/"))
      server.setRequestHandler(method, { params: z.looseObject({}) }, handler as never);
    else server.setRequestHandler(method as "tools/call", handler as never);
  };
}

const call = async ({ client }: Side) => client.callTool({ name: "x" });

/** Calls a tool of both packages, and returns the codes of both errors. */
async function codesOf(register: Register, era: Era): Promise<readonly unknown[]> {
  const answers = await answersOf(register, call, { era });
  return answers.map((answer) => (answer as { refused?: { code: unknown } }).refused?.code);
}

describe.each(ERAS)("%s: a handler of tools/call", (era) => {
  test.each<readonly [title: string, result: unknown]>([
    ["an array", [{ type: "text", text: "x" }]],
    ["nothing", undefined],
    ["null", null],
    ["a text", "x"],
    ["requests for input without a type", { inputRequests: { a: { method: "roots/list" } } }],
    ["a state without a type", { requestState: "s" }],
    ["a task", { task: { taskId: "t" } }],
    ["no list of content", { content: null }],
    ["a mark of an error that is not true or false", { content: [], isError: "yes" }],
    ["metadata that is not an object", { content: [], _meta: 5 }],
  ])("must not return %s (drop-in B4)", async (_title, result) => {
    expect(
      await codesOf(
        own("tools/call", () => result),
        era,
      ),
    ).toEqual([-32602, -32602]);
  });

  test.each<readonly [title: string, result: unknown]>([
    ["requests for input without a type", { inputRequests: { a: { method: "roots/list" } } }],
    ["a mark of an error that is not true or false", { content: [], isError: "yes" }],
    ["metadata that is not an object", { content: [], _meta: 5 }],
  ])(
    "is checked in the same way as a registered tool that returns %s (drop-in B4)",
    async (_title, result) => {
      const register: Register = (server) => server.registerTool("x", {}, () => result as never);
      expect(await codesOf(register, era)).toEqual([-32602, -32602]);
    },
  );
});

test("2025: a handler of tools/call must project structured content that is not an object (drop-in B4)", async () => {
  const register = own("tools/call", () => ({ content: [], structuredContent: [1] }));
  expect(await codesOf(register, "2025")).toEqual([-32602, -32602]);
});

describe("results of handlers", () => {
  const listed = own("tools/list", () => ({
    tools: [
      {
        name: "a",
        inputSchema: { type: "object" },
        outputSchema: { type: "array", items: { $ref: "#/$defs/one" }, $defs: { one: { type: "string" } } },
        execution: { taskSupport: "optional" },
      },
      { name: "b", inputSchema: { type: "object" }, outputSchema: { type: "object" } },
      { name: "c", inputSchema: { type: "object" } },
    ],
  }));
  compare([
    {
      title: "without content are completed (drop-in B4)",
      register: own("tools/call", () => ({ content: undefined, a: 1 })),
      ask: call,
      shows: { answer: { content: [], a: 1 } },
    },
    {
      title: "with content may have members of other results (drop-in B4)",
      register: own("tools/call", () => ({ content: [], inputRequests: {}, requestState: "s" })),
      ask: call,
      shows: { answer: { content: [] } },
    },
    {
      title: "keep their structured content without a text (drop-in B4)",
      register: own("tools/call", () => ({ content: [], structuredContent: [1] })),
      ask: call,
      shows: { answer: { content: [], structuredContent: [1] } },
      eras: ["2026"],
    },
    {
      title: "list output schemas in the form of the client's revision (drop-in B4)",
      register: listed,
      ask: async ({ client }) => client.request({ method: "tools/list" }),
      shows: { answer: { tools: [{ name: "a" }, { outputSchema: { type: "object" } }, { name: "c" }] } },
    },
  ]);

  test("wrap an array schema for 2025 clients only (drop-in B4)", async () => {
    const types = await Promise.all(
      ERAS.map(async (era) => {
        const answers = await answersOf(
          listed,
          async ({ client }) => client.request({ method: "tools/list" }),
          {
            era,
          },
        );
        return answers.map(
          (one) => (one as { answer: { tools: { outputSchema: object }[] } }).answer.tools[0]?.outputSchema,
        );
      }),
    );
    const wrapped = {
      type: "object",
      properties: { result: { items: { $ref: "#/properties/result/$defs/one" } } },
    };
    expect(types).toMatchObject([
      [wrapped, wrapped],
      [{ type: "array" }, { type: "array" }],
    ]);
  });
});

describe("errors of handlers", () => {
  const methods: readonly (readonly [method: string, params: object])[] = [
    ["tools/call", { name: "x" }],
    ["tools/list", {}],
    ["prompts/get", { name: "x" }],
    ["resources/read", { uri: "a://b" }],
    ["example/x", {}],
  ];
  compare(
    methods.map(([method, params]) => ({
      title: `of ${method} have today's code for a missing resource (drop-in B4)`,
      register: (server, sdk) =>
        own(method, () => {
          throw new sdk.ProtocolError(-32002, "gone", { a: 1 });
        })(server, sdk),
      ask: async ({ client }) => client.request({ method, params: { ...params } }, z.looseObject({})),
      shows: { refused: { code: -32602, message: "gone", data: { a: 1 } } },
    })),
  );

  compare([
    {
      title: "of a list callback have today's code for a missing resource (drop-in B4)",
      register: (server, sdk) =>
        server.registerResource(
          "r",
          new sdk.ResourceTemplate("a://{b}", {
            list: () => {
              throw new sdk.ProtocolError(-32002, "gone");
            },
          }),
          {},
          () => ({ contents: [] }),
        ),
      ask: async ({ client }) => client.request({ method: "resources/list" }),
      shows: { refused: { code: -32602, message: "gone" } },
    },
  ]);

  test("about a missing capability have the status 400 (drop-in B4)", async () => {
    const handlers = handlersOf((server, sdk) =>
      own("tools/call", () => {
        throw new sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      })(server, sdk),
    );
    const [wanted, given] = await sendBoth(handlers, () => modern("tools/call", { name: "x" }));
    expect(wanted).toMatchObject({ status: 400, messages: [{ error: { code: -32021 } }] });
    expect(given).toEqual(wanted);
  });
});
