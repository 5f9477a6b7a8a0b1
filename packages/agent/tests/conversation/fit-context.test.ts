import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitContext } from "../../src/conversation/context/fit-context.js";
import type { ModelMessage } from "../../src/models/model-port.js";

const user = (content: string): ModelMessage => ({ role: "user", content });
const model = (content: string): ModelMessage => ({ role: "assistant", content });
const tool = (content: string): ModelMessage => ({ role: "tool", toolName: "t", content });

describe("fitting a long conversation into the context", () => {
  test("keeps all messages if they fit", () => {
    const messages = [user("a"), model("b"), user("c")];
    expect(fitContext(messages, 3)).toBe(messages);
  });

  test("keeps the first message and the last messages, with a note between them", () => {
    const messages = [user("what"), model("x".repeat(50)), tool("y".repeat(50)), model("z"), user("and")];
    expect(fitContext(messages, 40)).toEqual([
      user("what"),
      user("[earlier messages omitted: 2]"),
      model("z"),
      user("and"),
    ]);
  });

  test("drops the first message if it is too long", () => {
    expect(fitContext([user("w".repeat(100)), model("z"), user("and")], 40)).toEqual([
      user("[earlier messages omitted: 1]"),
      model("z"),
      user("and"),
    ]);
  });

  test("keeps the last call with its result, even if they are too long", () => {
    const last = [model("x"), tool("y".repeat(100))];
    expect(fitContext([user("w"), model("a"), tool("b"), ...last], 40)).toEqual([
      user("w"),
      user("[earlier messages omitted: 2]"),
      ...last,
    ]);
  });

  test("counts the arguments of native calls", () => {
    const call = { id: "1", name: "n", arguments: "x".repeat(100) };
    const messages: ModelMessage[] = [
      user("w"),
      { role: "assistant", content: "", calls: [call] },
      tool("r"),
      user("u"),
    ];
    expect(fitContext(messages, 50).map(({ role }) => role)).toEqual(["user", "user", "user"]);
  });

  test("never separates a result from its call, and always keeps the last message", () => {
    const round = fc.oneof(
      fc.string().map((text) => [user(text)]),
      fc.string().map((text) => [model(text)]),
      fc.tuple(fc.string(), fc.string()).map(([a, b]) => [model(a), tool(b)]),
    );
    const rounds = fc.array(round, { minLength: 1 }).map((list) => [user("first"), ...list.flat()]);
    fc.assert(
      fc.property(rounds, fc.nat(200), (messages, max) => {
        const fitted = fitContext(messages, max);
        expect(fitted.at(-1)).toEqual(messages.at(-1));
        for (const [index, { role }] of fitted.entries()) {
          if (role === "tool") expect(fitted[index - 1]?.role).toBe("assistant");
        }
      }),
    );
  });
});
