/**
 * @fileoverview Prompts and completions of their arguments behave as in the official SDK, version 2.
 * @module tests/sdk/v2/prompts
 */
import { describe } from "vitest";
import { z } from "zod";
import { type Behavior, compare, type Register } from "../support/v2/both-sides.js";

const get =
  (name: string, args?: Record<string, string>): Behavior["ask"] =>
  async ({ client }) =>
    client.getPrompt({ name, ...(args === undefined ? {} : { arguments: args }) });
const message = (value: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text: value } }],
});

const greet: Register = (server, sdk) => {
  server.registerPrompt(
    "greet",
    {
      title: "Greet",
      description: "Greets",
      argsSchema: z.object({
        who: sdk.completable(z.string().describe("a name"), (value, context) =>
          ["ann", "bob", context?.arguments?.["mood"] ?? "none"].filter((one) => one.startsWith(value)),
        ),
        mood: sdk.completable(z.string(), () => ["glad"]).optional(),
        plain: z.string().default("p"),
      }),
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { a: 1 },
    },
    (args) => message(JSON.stringify(args)),
  );
};

const simple: Register = (server) => {
  server.registerPrompt("none", {}, (ctx) => message(ctx.mcpReq.method));
  server.registerPrompt("shape", { argsSchema: { a: z.string() } }, ({ a }) => message(a));
};

describe("prompts", () => {
  compare([
    {
      title: "lists arguments",
      register: greet,
      ask: async ({ client }) => client.listPrompts(),
      shows: {
        answer: {
          prompts: [
            {
              name: "greet",
              arguments: [
                { name: "who", required: true },
                { name: "mood", required: false },
                { name: "plain", required: false },
              ],
            },
          ],
        },
      },
    },
    {
      title: "lists prompts without arguments and from raw shapes",
      register: simple,
      ask: async ({ client }) => client.listPrompts(),
      shows: { answer: { prompts: [{ name: "none" }, { name: "shape" }] } },
    },
    {
      title: "passes parsed arguments",
      register: greet,
      ask: get("greet", { who: "ann" }),
      shows: { answer: message('{"who":"ann","plain":"p"}') },
    },
    {
      title: "passes ctx without arguments",
      register: simple,
      ask: get("none"),
      shows: { answer: message("prompts/get") },
    },
    {
      title: "reports invalid arguments",
      register: greet,
      ask: get("greet", {}),
      shows: { refused: { code: -32602 } },
    },
    {
      title: "rejects unknown prompts",
      register: simple,
      ask: get("nope"),
      shows: { refused: { code: -32602, message: "Prompt nope not found" } },
    },
    {
      title: "rejects disabled prompts",
      register: (server) => server.registerPrompt("off", {}, () => message("")).disable(),
      ask: get("off"),
      shows: { refused: { code: -32602, message: "Prompt off disabled" } },
    },
    {
      title: "sends the error of a callback",
      register: (server) =>
        server.registerPrompt("f", {}, () => {
          throw new Error("no words");
        }),
      ask: get("f"),
      shows: { refused: { code: -32603, message: "no words" } },
    },
    {
      title: "sends the numeric code of an error",
      register: (server) =>
        server.registerPrompt("f", {}, () => {
          throw Object.assign(new Error("teapot"), { code: 418, data: { a: 1 } });
        }),
      ask: get("f"),
      shows: { refused: { code: 418, message: "teapot", data: { a: 1 } } },
    },
    {
      title: "sends descriptions and metadata",
      register: (server) =>
        server.registerPrompt("d", {}, () => ({ description: "d", ...message("m"), _meta: { a: 1 } })),
      ask: get("d"),
      shows: { answer: { description: "d" } },
    },
    {
      title: "is unknown without prompts",
      register: () => undefined,
      ask: async ({ client }) => client.request({ method: "prompts/list" }),
      shows: { refused: {} },
    },
  ]);
});

describe("completions of prompt arguments", () => {
  const complete =
    (name: string, argument: string, extra: object = {}): Behavior["ask"] =>
    async ({ client }) =>
      client.complete({
        ref: { type: "ref/prompt", name },
        argument: { name: argument, value: "" },
        ...extra,
      });
  compare([
    {
      title: "suggests values",
      register: greet,
      ask: complete("greet", "who"),
      shows: { answer: { completion: { values: ["ann", "bob", "none"] } } },
    },
    {
      title: "works for optional arguments",
      register: greet,
      ask: complete("greet", "mood"),
      shows: { answer: { completion: { values: ["glad"] } } },
    },
    {
      title: "passes other arguments",
      register: greet,
      ask: complete("greet", "who", { context: { arguments: { mood: "x" } } }),
      shows: { answer: { completion: { values: ["ann", "bob", "x"] } } },
    },
    {
      title: "are empty for other arguments",
      register: greet,
      ask: complete("greet", "plain"),
      shows: { answer: { completion: { values: [] } } },
    },
    {
      title: "reject unknown prompts",
      register: greet,
      ask: complete("nope", "a"),
      shows: { refused: { code: -32602, message: "Prompt nope not found" } },
    },
    {
      title: "are unknown without suggestions",
      register: simple,
      ask: async ({ client }) =>
        client.request({
          method: "completion/complete",
          params: { ref: { type: "ref/prompt", name: "none" }, argument: { name: "a", value: "" } },
        }),
      shows: { refused: {} },
    },
  ]);
});
