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

  test("keeps the last call with its result, and omits the middle of a result that is too long", () => {
    const last = [model("x"), tool(`${"a".repeat(50)}${"z".repeat(50)}`)];
    expect(fitContext([user("w"), model("a"), tool("b"), ...last], 40)).toEqual([
      user("w"),
      user("[earlier messages omitted: 2]"),
      model("x"),
      tool("aaaa\n[92 characters omitted]\nzzzz"),
    ]);
  });

  test("one result that is larger than the limit is shortened to the limit", () => {
    const [, , result] = fitContext([user("w"), model("x"), tool("y".repeat(1_000_000))], 10_000);
    expect(result?.content.length).toBeLessThan(10_100);
  });

  test("the longest texts are shortened first, and a surrogate pair is not split", () => {
    const messages = [user("short"), model("call"), tool("😀".repeat(100)), tool("x".repeat(30))];
    const fitted = fitContext(messages, 103);
    expect(fitted.map(({ content }) => content)).toEqual([
      "short",
      "call",
      expect.stringMatching(/^(?:😀){16}\n\[136 characters omitted\]\n(?:😀){16}$/u),
      "x".repeat(30),
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
        const last = fitted.at(-1);
        const isShortened =
          last?.role !== "assistant" && last?.content.includes("characters omitted]") === true;
        expect(last?.role).toBe(messages.at(-1)?.role);
        if (!isShortened) expect(last).toEqual(messages.at(-1));
        for (const [index, { role }] of fitted.entries()) {
          if (role === "tool") expect(fitted[index - 1]?.role).toBe("assistant");
        }
      }),
    );
  });
});
