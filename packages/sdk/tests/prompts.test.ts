import { completable as officialCompletable } from "@modelcontextprotocol/sdk/server/completable.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { completable } from "../src/server/registrations/schemas.js";
import {
  answersOf,
  bothSides,
  ours,
  type Register,
  settle,
  type Side,
  theirs,
} from "./support/both-sides.js";

const say = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
});
const get =
  (name: string, args?: Record<string, string>) =>
  ({ client }: Side) =>
    client.getPrompt({ name, ...(args === undefined ? {} : { arguments: args }) });
const list = ({ client }: Side) => client.listPrompts();
const suggest =
  (prompt: string, name: string, value: string, context?: Record<string, string>) =>
  ({ client }: Side) =>
    client.complete({
      ref: { type: "ref/prompt", name: prompt },
      argument: { name, value },
      ...(context === undefined ? {} : { context: { arguments: context } }),
    });

const review: Register = (server) => {
  server.registerPrompt(
    "review",
    {
      title: "Review",
      description: "Reviews code",
      argsSchema: { code: z.string().min(3).describe("What to review"), tone: z.string().optional() },
    },
    ({ code, tone }, { requestId }) => ({
      description: "A review",
      ...say(`${code} ${tone ?? "kindly"} ${typeof requestId}`),
    }),
  );
  server.registerPrompt("bare", {}, () => say("bare"));
};

const old: Register = (server) => {
  server.prompt("a", () => say("a"));
  server.prompt("b", "described", () => say("b"));
  server.prompt("c", { n: z.string() }, ({ n }) => say(`c${n}`));
  server.prompt("d", "described", { n: z.string() }, ({ n }) => say(`d${n}`));
};

const completing: Register = (server) =>
  server.registerPrompt(
    "greet",
    {
      argsSchema: {
        team: officialCompletable(z.string(), (value) =>
          ["red", "rose", "blue"].filter((one) => one.startsWith(value)),
        ),
        name: completable(z.string(), (_value, context) =>
          context?.arguments?.["team"] === "red" ? ["Ada"] : [],
        ),
        mood: z.string(),
      },
    },
    ({ team, name, mood }) => say(`${team} ${name} ${mood}`),
  );

const failing: Register = (server) => {
  server.registerPrompt("plain", {}, () => {
    throw new Error("no ink");
  });
  server.registerPrompt("sdk", {}, async () => {
    throw new McpError(ErrorCode.InvalidRequest, "not now", { retry: 5 });
  });
};

const changed: Register = (server) => {
  const prompt = server.registerPrompt("before", { argsSchema: { n: z.string() } }, ({ n }) => say(n));
  prompt.update({ name: "after", title: "After", description: "changed" });
  prompt.update({ argsSchema: { word: z.string() }, callback: ({ word }) => say(word) });
  server.registerPrompt("gone", {}, () => say("gone")).remove();
  server.registerPrompt("off", {}, () => say("off")).disable();
};

const SAME: readonly (readonly [string, Register, (side: Side) => Promise<unknown>])[] = [
  ["a list of prompts", review, list],
  ["a list of prompts in the older form", old, list],
  ["a list after changes", changed, list],
  ["a prompt", review, get("review", { code: "let a", tone: "harshly" })],
  ["a prompt without optional arguments", review, get("review", { code: "let a" })],
  ["a prompt without arguments", review, get("bare")],
  ["a prompt without a required argument", review, get("review", {})],
  ["a prompt without `arguments`", review, get("review")],
  ["a prompt with an invalid argument", review, get("review", { code: "a" })],
  ["an unknown prompt", review, get("revue")],
  ["a disabled prompt", changed, get("off")],
  ["a removed prompt", changed, get("gone")],
  ["a prompt under its new name", changed, get("after", { word: "hi" })],
  ["a prompt that fails", failing, get("plain")],
  ["a prompt that fails with an SDK error", failing, get("sdk")],
  ["suggestions", completing, suggest("greet", "team", "r")],
  [
    "suggestions that depend on a different argument",
    completing,
    suggest("greet", "name", "", { team: "red" }),
  ],
  ["suggestions without the other argument", completing, suggest("greet", "name", "")],
  ["suggestions for an argument without a completer", completing, suggest("greet", "mood", "")],
  ["suggestions for an unknown prompt", completing, suggest("grete", "team", "")],
  ["a list of prompts with suggestions", completing, list],
  ...["a", "b"].map((name) => [`the older form ${name}`, old, get(name)] as const),
  ...["c", "d"].map((name) => [`the older form ${name}`, old, get(name, { n: "5" })] as const),
];

describe("prompts, compared with the official server", () => {
  test("suggestions for an unknown argument are an empty list that is complete (drop-in B7)", async () => {
    const [wanted, given] = await answersOf(completing, suggest("greet", "nothing", ""));
    expect(wanted).toEqual({ answer: { completion: { values: [], hasMore: false } } });
    expect(given).toEqual(wanted);
  });

  test.each(SAME)("%s is the same", async (_title, register, ask) => {
    const [wanted, given] = await answersOf(register, ask);
    expect(given).toEqual(wanted);
  });

  test("a duplicate name is rejected with the same text", () => {
    for (const server of [theirs(), ours()]) {
      review(server);
      expect(() => review(server)).toThrow("Prompt review is already registered");
    }
  });

  test("adding and removing a prompt notifies the client in the same way", async () => {
    const told = await Promise.all(
      (await bothSides(review)).map(async ({ server, client, heard }) => {
        const late = server.registerPrompt("late", {}, () => say("late"));
        await settle();
        const during = (await client.listPrompts()).prompts.map(({ name }) => name);
        late.remove();
        server.sendPromptListChanged();
        await settle();
        return { during, heard: heard.map(({ method }) => method) };
      }),
    );
    expect(told[1]).toEqual(told[0]);
    expect(told[1]?.heard).toHaveLength(3);
  });
});
