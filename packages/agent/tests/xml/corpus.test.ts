import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { XmlAnswerReader } from "../../src/conversation/answer/answer-reader.js";
import { askFollowupQuestion, completionResult } from "../../src/conversation/context/built-in-tools.js";
import { ToolService } from "../../src/tool-service.js";
import type { ToolDefinition } from "../../src/tools/define-tool.js";
import { type ToolCall, type ToolCallEvent, ToolCallStream } from "../../src/xml/tool-call-stream.js";
import { cutText } from "../support/xml/arbitraries.js";
import { ping, plan, search, writeFile } from "../support/xml/tools.js";

/** Model output. Calls are marked with `⟦` and `⟧`. Everything else is text. */
interface Sample {
  readonly kind: string;
  readonly output: string;
  /** Calls in order, with their parameters or with a part of their error. */
  readonly calls: readonly { readonly name: string; readonly params?: object; readonly error?: string }[];
}

const SAMPLES = JSON.parse(
  readFileSync(new URL("corpus.json", import.meta.url), "utf8"),
) as readonly Sample[];
const TOOLS = [
  search,
  writeFile,
  plan,
  ping,
  completionResult,
  askFollowupQuestion,
] as readonly ToolDefinition[];

const outputOf = ({ output }: Sample) => output.replace(/[⟦⟧]/g, "");
const textOf = ({ output }: Sample) => output.replace(/⟦[^⟧]*⟧/g, "");

/** Splits a text in several ways: not at all, into single characters, into equal pieces, and at random places. */
function chunkings(text: string): readonly (readonly string[])[] {
  const equal = [1, 2, 3, 5, 16].map((size) =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    ),
  );
  const cuts = fc.sample(fc.array(fc.nat(400), { maxLength: 12 }), { numRuns: 5, seed: text.length });
  return [[text], ...equal, ...cuts.map((places) => cutText(text, places))];
}

function parse(pieces: readonly string[]): { readonly text: string; readonly calls: readonly ToolCall[] } {
  const stream = new ToolCallStream(TOOLS);
  const events: readonly ToolCallEvent[] = [
    ...pieces.flatMap((piece) => stream.feed(piece)),
    ...stream.finish(),
  ];
  return {
    text: events.map((event) => (event.type === "text" ? event.text : "")).join(""),
    calls: events.flatMap((event) => (event.type === "call" ? event.call : [])),
  };
}

/** Runs the calls of an output with tools that record their parameters. */
async function execute(calls: readonly ToolCall[]): Promise<readonly object[]> {
  const executed: object[] = [];
  const tools = TOOLS.map((tool): ToolDefinition => ({
    ...tool,
    invoke: async ({ params }) => {
      executed.push({ name: tool.name, params });
      return { message: "ok", toolResult: undefined };
    },
  }));
  const lookup = { get: (name: string) => tools.find((tool) => tool.name === name), getAll: () => tools };
  const service = new ToolService(lookup);
  for (const call of calls) {
    if (call.error === undefined) await service.execute({ ...call, getCurrentTask: () => "task" });
  }
  return executed;
}

describe("issue 29: model outputs that mention, quote, fence, or misspell tools, or call them", () => {
  test("the corpus contains at least 200 different outputs of every kind", () => {
    expect(new Set(SAMPLES.map(outputOf)).size).toBe(SAMPLES.length);
    expect(SAMPLES.length).toBeGreaterThanOrEqual(200);
    expect([...new Set(SAMPLES.map(({ kind }) => kind))].sort()).toEqual([
      "call",
      "failed call",
      "fenced",
      "inline code",
      "mention",
      "missing parameters",
      "misspelled",
      "mixed",
    ]);
    const isCall = ({ kind }: Sample) => ["call", "failed call", "mixed"].includes(kind);
    for (const sample of SAMPLES)
      expect([sample.output, sample.calls.length > 0]).toEqual([sample.output, isCall(sample)]);
  });

  test.each(SAMPLES)("$kind: $output", async (sample) => {
    const { calls } = sample;
    for (const pieces of chunkings(outputOf(sample))) {
      const found = parse(pieces);
      expect(found.text).toBe(textOf(sample));
      expect(found.calls.map(({ name }) => name)).toEqual(calls.map(({ name }) => name));
      for (const [index, { params, error }] of calls.entries()) {
        if (error === undefined) expect(found.calls[index]).toEqual({ name: calls[index]?.name, params });
        else expect(found.calls[index]?.error?.message).toContain(error);
      }
      const valid = calls.filter(({ error }) => error === undefined);
      expect(await execute(found.calls)).toEqual(valid);
    }
  });

  test.each(SAMPLES)("as a response, $kind: $output", (sample) => {
    const output = outputOf(sample).trimStart();
    const [first] = sample.calls;
    for (const pieces of chunkings(output)) {
      const reader = new XmlAnswerReader(new ToolCallStream(TOOLS));
      const events = [...pieces.flatMap((piece) => reader.feed(piece)), ...reader.finish()];
      const calls = events.flatMap((event) => (event.type === "call" ? event.call : []));
      const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
      expect(calls.map(({ name }) => name)).toEqual(first === undefined ? [] : [first.name]);
      expect(text).toBe(sample.output.trimStart().replace(/⟦.*$/s, ""));
      // The model sees its text and the first call exactly as it wrote them.
      const end = sample.output.trimStart().indexOf("⟧");
      expect(reader.content).toBe(
        end === -1 ? output : sample.output.trimStart().slice(0, end).replaceAll("⟦", ""),
      );
    }
  });
});
