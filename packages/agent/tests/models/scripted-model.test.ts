import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ModelError, type ModelMessage, type ModelPiece } from "../../src/models/model-port.js";
import { createScriptedModel, type ModelScript } from "../../src/models/scripted-model.js";
import { systemPorts } from "@tenon/internal/ports";
import { collect, conversation } from "../support/models/model-server.js";

const never = new AbortController().signal;
const user: ModelMessage = { role: "user", content: "?" };
const assistant: ModelMessage = { role: "assistant", content: "!" };
const said = async (script: ModelScript, messages: readonly ModelMessage[] = [user], pieceChars = 16) =>
  (await collect(createScriptedModel(script, { pieceChars })(conversation(messages), never))).pieces;

describe("a scripted model", () => {
  test("returns the next response for the conversation and repeats the last one", async () => {
    const script = ["one", "two", "three"];
    expect(await said(script)).toEqual(["one"]);
    expect(await said(script)).toEqual(["one"]);
    expect(await said(script, [user, assistant, user])).toEqual(["two"]);
    expect(await said(script, [user, assistant, assistant, assistant, assistant])).toEqual(["three"]);
  });

  test("supports a function, including its errors", async () => {
    expect(await said(({ messages }) => `${messages.length}`, [user, user])).toEqual(["2"]);
    const failing = createScriptedModel(() => {
      throw new ModelError("The script is over");
    });
    expect(await collect(failing(conversation(), never))).toEqual({
      pieces: [],
      error: new ModelError("The script is over"),
    });
  });

  test("yields pieces unchanged", async () => {
    const pieces: readonly ModelPiece[] = [
      { think: "hm" },
      "a text that is longer than sixteen characters",
      { call: { index: 0, id: "c1", name: "find", arguments: "{}" } },
      { file: { mediaType: "image/png", data: "AAAA" } },
      { finish: { reason: "length", usage: { inputTokens: 10, outputTokens: 2 } } },
    ];
    expect(await said([pieces])).toEqual(pieces);
    expect(createScriptedModel([pieces], { toolCalls: "native" }).toolCalls).toBe("native");
    expect(createScriptedModel([pieces]).toolCalls).toBe("xml");
    expect(createScriptedModel([pieces], { contextWindow: 100 }).contextWindow).toBe(100);
  });

  test("splits texts without splitting surrogate pairs", async () => {
    expect(await said(["0123456789"], [user], 4)).toEqual(["0123", "4567", "89"]);
    expect(await said(["a😀b"], [user], 2)).toEqual(["a😀", "b"]);
    expect(await said(["😀😀"], [user], 1)).toEqual(["😀", "😀"]);
    expect(await said([""])).toEqual([]);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 5 }), async (text, size) => {
        const pieces = await said([text], [user], size);
        expect(pieces.map(String).join("")).toBe(text);
        expect(pieces.map(String).filter((piece) => /[\ud800-\udfff]/u.test(piece))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test("waits between pieces, but not before the first one", async () => {
    const waits: number[] = [];
    const startTimer: typeof systemPorts.startTimer = (task, ms) => {
      waits.push(ms);
      return systemPorts.startTimer(task, 0);
    };
    const model = createScriptedModel(["abc"], { pieceChars: 1, delayMs: 70, ports: { startTimer } });
    expect((await collect(model(conversation(), never))).pieces).toEqual(["a", "b", "c"]);
    expect(waits).toEqual([70, 70]);
  });

  test("stops immediately when its signal aborts", async () => {
    const controller = new AbortController();
    const model = createScriptedModel(["abc"], { pieceChars: 1, delayMs: 60_000 });
    const result = collect(model(conversation(), controller.signal));
    await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort("enough");
    expect(await result).toEqual({ pieces: ["a"], error: "enough" });
    expect(await collect(model(conversation(), AbortSignal.abort("too late")))).toEqual({
      pieces: [],
      error: "too late",
    });
  });

  test("stops immediately when its consumer stops, even during a delay", async () => {
    const pieces = createScriptedModel(["abc"], { pieceChars: 1, delayMs: 60_000 })(conversation(), never);
    const iterator = pieces[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    await iterator.return?.();
    expect(await next).toEqual({ value: undefined, done: true });
  });

  test.each<[string, () => unknown]>([
    ["`script` must contain at least one response; got an empty array.", () => createScriptedModel([])],
    [
      "createScriptedModel: `pieceChars` must be a number from 1 to 1000000000; got 0.",
      () => createScriptedModel(["a"], { pieceChars: 0 }),
    ],
    [
      "createScriptedModel: `pieceChars` must be a number from 1 to 1000000000; got NaN.",
      () => createScriptedModel(["a"], { pieceChars: Number.NaN }),
    ],
    [
      "createScriptedModel: `contextWindow` must be a positive integer; got 0.5.",
      () => createScriptedModel(["a"], { contextWindow: 0.5 }),
    ],
    [
      "createScriptedModel: `delayMs` must be a number from 0 to 2147483647 (milliseconds); got -1.",
      () => createScriptedModel(["a"], { delayMs: -1 }),
    ],
  ])("rejects invalid options: %s", (message, make) => {
    expect(make).toThrow(expect.objectContaining({ message }));
  });
});
