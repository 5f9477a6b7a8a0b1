import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  answersOf,
  bothSides,
  type Official,
  ours,
  plain,
  type Register,
  settle,
  type Side,
  theirs,
} from "./support/both-sides.js";

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
const call =
  (name: string, args?: Record<string, unknown>) =>
  ({ client }: Side) =>
    client.callTool({ name, ...(args === undefined ? {} : { arguments: args }) });
const list = ({ client }: Side) => client.listTools();

const weather: Register = (server) =>
  server.registerTool(
    "weather",
    {
      title: "Weather",
      description: "Forecast for a city",
      inputSchema: { city: z.string().min(2).describe("Where"), days: z.number().int().default(1) },
      outputSchema: { celsius: z.number(), sky: z.enum(["clear", "grey"]).optional() },
      annotations: { readOnlyHint: true, title: "Forecast" },
      _meta: { "example.com/owner": "met" },
    },
    ({ city, days }) => {
      const structuredContent = { celsius: city.length + days };
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );

const nested: Register = (server) =>
  server.registerTool(
    "nested",
    { inputSchema: { people: z.array(z.object({ name: z.string(), age: z.number() })) } },
    ({ people }) => text(String(people.length)),
  );

const union: Register = (server) =>
  server.registerTool(
    "pick",
    {
      inputSchema: z.object({
        kind: z.union([z.literal("a"), z.literal("b")]),
        deep: z.record(z.string(), z.number()),
      }),
    },
    ({ kind }) => text(kind),
  );

const outputs: Register = (server) => {
  const outputSchema = { n: z.number() };
  server.registerTool("none", { outputSchema }, () => text("no data"));
  server.registerTool("wrong", { outputSchema }, () => ({ ...text("x"), structuredContent: { n: "one" } }));
  server.registerTool("extra", { outputSchema }, () => ({ ...text("x"), structuredContent: { n: 1 } }));
  server.registerTool("sorry", { outputSchema }, () => ({ ...text("sorry"), isError: true }));
};

const throwing: Register = (server) => {
  server.registerTool("error", {}, () => {
    throw new Error("the oven is cold");
  });
  server.registerTool("later", {}, async () => {
    throw new TypeError("no such cake");
  });
  server.registerTool("text", {}, () => {
    // oxlint-disable-next-line no-throw-literal -- a callback may do this
    throw "just words";
  });
  server.registerTool("sdk", {}, () => {
    throw new McpError(ErrorCode.InvalidParams, "bad cake", { cake: 1 });
  });
};

const blocks: Register = (server) =>
  server.registerTool("blocks", {}, () => ({
    content: [
      { type: "text", text: "a", annotations: { priority: 1 } },
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "mem://a", text: "b" } },
      { type: "resource_link", uri: "mem://b", name: "b" },
    ],
    _meta: { "example.com/cost": 3 },
  }));

const old: Register = (server) => {
  server.tool("a", () => text("a"));
  server.tool("b", "described", () => text("b"));
  server.tool("c", { n: z.number() }, ({ n }) => text(`c${n}`));
  server.tool("d", { readOnlyHint: true }, () => text("d"));
  server.tool("e", "described", { n: z.number() }, ({ n }) => text(`e${n}`));
  server.tool("f", { n: z.number() }, { idempotentHint: true }, ({ n }) => text(`f${n}`));
  server.tool("g", "described", { n: z.number() }, { openWorldHint: false }, ({ n }) => text(`g${n}`));
  server.tool("h", {}, () => text("h"));
};

const disabled: Register = (server) => {
  server.registerTool("here", {}, () => text("here"));
  server.registerTool("hidden", {}, () => text("hidden")).disable();
};

const changed: Register = (server) => {
  const tool = server.registerTool("before", { inputSchema: { n: z.number() } }, ({ n }) => text(`${n}`));
  tool.update({ name: "after", title: "After", description: "changed", annotations: { readOnlyHint: true } });
  tool.update({ paramsSchema: { word: z.string() }, callback: ({ word }) => text(word) });
  server.registerTool("gone", {}, () => text("gone")).remove();
  const twice = server.registerTool("twice", {}, () => text("twice"));
  twice.disable();
  twice.enable();
};

const transforming: Register = (server) =>
  server.registerTool(
    "upper",
    {
      inputSchema: {
        word: z.string().transform((word) => word.toUpperCase()),
        at: z.coerce.number().optional(),
      },
    },
    ({ word, at }) => text(`${word}${at ?? ""}`),
  );

const refined: Register = (server) =>
  server.registerTool(
    "even",
    { inputSchema: { n: z.number().refine(async (n) => n % 2 === 0, "must be even") } },
    ({ n }) => text(String(n)),
  );

const SAME: readonly (readonly [string, Register, (side: Side) => Promise<unknown>])[] = [
  ["a list of tools with every field", weather, list],
  ["a list with nested schemas", nested, list],
  ["a list with unions and records", union, list],
  ["a list of tools in the older form", old, list],
  ["a list without disabled tools", disabled, list],
  ["a list after changes", changed, list],
  ["a list with the input side of a transforming schema", transforming, list],
  ["a call", weather, call("weather", { city: "Riga", days: 2 })],
  ["a call with a default", weather, call("weather", { city: "Riga" })],
  ["a call with undeclared arguments", weather, call("weather", { city: "Riga", mood: "good" })],
  ["a call without a required argument", weather, call("weather", {})],
  ["a call without arguments", weather, call("weather")],
  ["a call with several invalid arguments", weather, call("weather", { city: "R", days: 1.5 })],
  [
    "a call with an invalid nested argument",
    nested,
    call("nested", {
      people: [
        { name: "a", age: 1 },
        { name: 2, age: "x" },
      ],
    }),
  ],
  ["a call that matches no member of a union", union, call("pick", { kind: "c", deep: {} })],
  ["a call that a refinement rejects", refined, call("even", { n: 3 })],
  ["a call that a refinement accepts", refined, call("even", { n: 4 })],
  ["a call whose arguments are transformed", transforming, call("upper", { word: "abc", at: "7" })],
  ["a call to an unknown tool", weather, call("wether", { city: "Riga" })],
  ["a call to a tool with an inherited name", weather, call("constructor2", {})],
  ["a call to a disabled tool", disabled, call("hidden")],
  ["a call to a tool under its new name", changed, call("after", { word: "hi" })],
  ["a call to a tool under its old name", changed, call("before", { n: 1 })],
  ["a call to a removed tool", changed, call("gone")],
  ["a call to a tool that was disabled and enabled again", changed, call("twice")],
  ["a result without its structured content", outputs, call("none")],
  ["a result with invalid structured content", outputs, call("wrong")],
  ["a result with valid structured content", outputs, call("extra")],
  ["an error result from a tool with an output schema", outputs, call("sorry")],
  ["an error that a callback throws", throwing, call("error")],
  ["an error that a callback rejects with", throwing, call("later")],
  ["a thrown value that is not an error", throwing, call("text")],
  ["an SDK error", throwing, call("sdk")],
  ["every kind of content", blocks, call("blocks")],
  ...["a", "b", "d", "h"].map(
    (name) => [`a call to the tool ${name} in the older form`, old, call(name)] as const,
  ),
  ...["c", "e", "f", "g"].map(
    (name) => [`a call to the tool ${name} in the older form`, old, call(name, { n: 5 })] as const,
  ),
];

describe("tools, compared with the official server", () => {
  test.each(SAME)("T7: %s is the same", async (_title, register, ask) => {
    const [wanted, given] = await answersOf(register, ask);
    expect(plain(given)).toEqual(plain(wanted));
  });

  const refused: readonly (readonly [string, Register])[] = [
    ["a duplicate name", (server) => [weather(server), weather(server)]],
    ["a duplicate name in the older form", (server) => [old(server), server.tool("a", () => text("a"))]],
    [
      "no schema",
      (server) => server.registerTool("x", { inputSchema: { a: 1 } as never }, (() => text("")) as never),
    ],
    [
      "a schema inside hints",
      (server) => server.tool("x", { deep: { er: 1 } } as never, (() => text("")) as never),
    ],
  ];
  test.each(refused)("%s is rejected with the same text", (_title, register) => {
    const wordsOf = (server: Official) => {
      try {
        register(server);
      } catch (error) {
        return (error as Error).message;
      }
      return undefined;
    };
    const words = wordsOf(ours());
    expect(words).toBeDefined();
    expect(words).toBe(wordsOf(theirs()));
  });

  test("callbacks receive the same `extra`", async () => {
    const seen: unknown[] = [];
    const register: Register = (server) =>
      server.registerTool("look", {}, (extra) => {
        const { requestId, _meta, sessionId, authInfo, requestInfo, signal } = extra;
        const senders = [typeof extra.sendNotification, typeof extra.sendRequest];
        seen.push({ requestId, _meta, sessionId, authInfo, requestInfo, aborted: signal.aborted, senders });
        return text("seen");
      });
    await answersOf(register, ({ client }) =>
      client.callTool({ name: "look", _meta: { progressToken: 7, "example.com/a": 1 } }),
    );
    expect(seen).toHaveLength(2);
    expect(seen[1]).toEqual(seen[0]);
  });

  test("adding, changing, and removing a tool notifies the client in the same way", async () => {
    const sides = await bothSides(weather);
    const told = await Promise.all(
      sides.map(async ({ server, client, heard }) => {
        const tool = server.registerTool("late", {}, () => text("late"));
        await settle();
        const during = (await client.listTools()).tools.map(({ name }) => name);
        const answer = await client.callTool({ name: "late" });
        tool.disable();
        tool.enable();
        tool.update({ description: "later" });
        tool.remove();
        await settle();
        const after = (await client.listTools()).tools.map(({ name }) => name);
        return { during, answer, after, heard: heard.map(({ method }) => method) };
      }),
    );
    expect(told[1]).toEqual(told[0]);
    expect(told[1]?.heard).toEqual(Array.from({ length: 5 }, () => "notifications/tools/list_changed"));
  });

  test("cancelling a call aborts its signal, and no reply is sent", async () => {
    for (const side of [0, 1]) {
      const stopped: unknown[] = [];
      let begun = () => {};
      const start = new Promise<void>((resolve) => (begun = resolve));
      const sides = await bothSides((server) =>
        server.registerTool("wait", {}, async ({ signal }) => {
          begun();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          stopped.push(signal.aborted);
          return text("too late");
        }),
      );
      const controller = new AbortController();
      const answer = sides[side]?.client.callTool({ name: "wait" }, undefined, { signal: controller.signal });
      await start;
      controller.abort("enough");
      await expect(answer).rejects.toThrow("enough");
      await settle();
      expect(stopped).toEqual([true]);
    }
  });

  test("exceeding the limit for argument elements gives the same text", async () => {
    const options = { server: { maxToolInputElements: 5 } as object };
    const ask = call("nested", { people: [1, 2, 3, 4, 5, 6] });
    const [wanted, given] = await answersOf(nested, ask, options);
    expect(given).toEqual(wanted);
    expect(JSON.stringify(given)).toContain("more than the maximum of 5 elements");
  });

  test("returned registrations have the same members", () => {
    const [a, b] = [theirs(), ours()].map((server) => {
      const tool = server.registerTool("x", { title: "X", description: "d", _meta: { a: 1 } }, () =>
        text("x"),
      );
      tool.update({ title: "Y", enabled: false });
      const { title, description, enabled, annotations, _meta } = tool;
      return { title, description, enabled, annotations, _meta };
    });
    expect(b).toEqual(a);
  });
});
