import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ServerMessage } from "../../src/messages/built-in-messages.js";
import { checkFrame, isServerMessage } from "../../src/client/state/check-frame.js";
import { withOpenTask } from "../../src/client/state/local-changes.js";
import { INITIAL_STATE, reduce } from "../../src/client/state/reduce.js";
import type { AgentState } from "../../src/client/types.js";

const taskId = "t1";
const opened = withOpenTask(INITIAL_STATE, { taskId, isLoading: false }, 32);
const messagesOf = (state: AgentState) => state.open.get(taskId)?.messages ?? [];

const streamed = fc.constantFrom("message" as const, "think" as const, "completionResult" as const);
const time = fc.integer({ min: 1, max: 5 });
const anyMessage: fc.Arbitrary<ServerMessage> = fc.oneof(
  fc
    .record({
      type: streamed,
      updateTime: time,
      message: fc.string(),
      step: fc.constantFrom("partial", "final", "discarded"),
    })
    .map(({ type, updateTime, message, step }) => ({
      type,
      data: {
        taskId,
        message,
        updateTime,
        ...(step === "partial" && { partial: true }),
        ...(step === "discarded" && { status: "discarded" }),
      },
    })),
  fc
    .record({
      approvalId: fc.constantFrom("a", "b"),
      status: fc.constantFrom("waiting" as const, "approved" as const),
    })
    .map(({ approvalId, status }) => ({
      type: "approval" as const,
      data: { taskId, approvalId, status, toolName: "x", updateTime: approvalId === "a" ? 1 : 2 },
    })),
  time.map((updateTime) => ({ type: "interrupt" as const, data: { taskId, updateTime } })),
  fc.constant({ type: "conversationOver" as const, data: { taskId, reason: "answered" as const } }),
);

describe("the state", () => {
  test("the text of a streamed message is the text of its pieces", () => {
    fc.assert(
      fc.property(streamed, fc.array(fc.string()), fc.option(fc.string()), (type, pieces, final) => {
        const data = { taskId, updateTime: 1 };
        const parts = pieces.map((message): ServerMessage => ({
          type,
          data: { ...data, message, partial: true },
        }));
        const last: ServerMessage[] = final === null ? [] : [{ type, data: { ...data, message: final } }];
        const shown = messagesOf([...parts, ...last].reduce(reduce, opened));
        const texts = shown.map(({ data }) => "message" in data && data.message);
        expect(texts).toEqual(parts.length + last.length === 0 ? [] : [final ?? pieces.join("")]);
      }),
    );
  });

  test("keys are unique, waiting approvals are complete, and a state is never modified", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 40 }), (messages) => {
        let state = opened;
        for (const message of messages) {
          const before = structuredClone({ ...state });
          const next = reduce(state, message);
          expect({ ...state }).toEqual(before);
          state = next;
          const shown = messagesOf(state);
          expect(new Set(shown.map(({ key }) => key)).size).toBe(shown.length);
          const waiting = shown.filter(({ type, data }) => type === "approval" && data.status === "waiting");
          expect(state.open.get(taskId)?.approvals).toEqual(waiting.map(({ data }) => data));
        }
      }),
    );
  });

  test("a message changes at most one message of the task; the others keep their identity", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 20 }), anyMessage, (messages, last) => {
        const state = messages.reduce(reduce, opened);
        const before = new Set(messagesOf(state));
        const after = messagesOf(reduce(state, last));
        expect(after.filter((message) => !before.has(message)).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("a client that loads the history has the same messages as one that watched from the start", () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 30 }), (messages) => {
        const watched = messagesOf(messages.reduce(reduce, opened));
        const stored = watched.map(({ key: _, ...message }) => message);
        const load: ServerMessage = { type: "taskHistory", data: { taskId, messages: stored } };
        expect(messagesOf(reduce(opened, load)).map(({ key: _, ...message }) => message)).toEqual(stored);
        // A watcher that loads it too keeps every message.
        const again = messagesOf(reduce(messages.reduce(reduce, opened), load));
        expect(again).toEqual(watched);
      }),
    );
  });
});

describe("hostile frames", () => {
  const types = [
    "connected sessionHistories ack message think tool file approval usage compaction askFollowupQuestion",
    "completionResult assignTaskUpdated taskHistory taskList taskRenamed taskRemoved interrupt conversationOver",
    "error alert __proto__ constructor custom",
  ].flatMap((line) => line.split(" "));
  const names = [
    "taskId message messages updateTime partial status tasks sessionHistories title targetMessage approvalId",
    "toolName task usage index parentTaskId reason __proto__",
  ].flatMap((line) => line.split(" "));
  const value = fc.oneof(
    fc.constant(taskId),
    fc.jsonValue({ maxDepth: 3 }),
    fc.constant({ type: "message", data: {} }),
  );
  const frame = fc.record({
    type: fc.constantFrom(...types),
    data: fc
      .array(fc.tuple(fc.constantFrom(...names), value))
      .map((entries) => Object.fromEntries(entries) as object),
  });

  test("no frame makes the client throw, and the texts in the state are texts", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            frame.map((one) => JSON.stringify(one)),
            fc.string(),
            fc.json(),
          ),
          { maxLength: 30 },
        ),
        (frames) => {
          let state = opened;
          for (const content of frames) {
            const check = checkFrame(content);
            if (check.ok && isServerMessage(check.message)) state = reduce(state, check.message);
          }
          for (const { title, taskId: id } of state.tasks)
            expect([typeof title, typeof id]).toEqual(["string", "string"]);
          for (const { type, data } of messagesOf(state))
            if (type === "message") expect(typeof data.message).toBe("string");
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    undefined,
    5,
    new Uint8Array(3),
    "",
    "{",
    "[]",
    "null",
    '{"type":1,"data":{}}',
    '{"type":"x","data":[]}',
  ])("%o is not a frame", (content) => {
    expect(checkFrame(content).ok).toBe(false);
  });

  test("deeply nested frames and histories are read", () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    const nested = (id: number) =>
      `{"type":"taskHistory","data":{"taskId":"t1","messages":[{"type":"tool","data":{"message":"","updateTime":${id},"params":${deep}}}]}}`;
    let state = opened;
    for (const content of [nested(1), nested(1), nested(2)]) {
      const check = checkFrame(content);
      if (check.ok && isServerMessage(check.message)) state = reduce(state, check.message);
    }
    expect(messagesOf(state).length).toBeLessThanOrEqual(1);
  });

  test("a history of 10,000 messages is read in linear time", () => {
    const items = (timed: boolean) =>
      Array.from({ length: 10_000 }, (_, index) => ({
        type: "message",
        data: { message: "x", ...(timed && { updateTime: index }) },
      }));
    const start = process.cpuUsage().user;
    for (const timed of [true, false]) {
      const load: ServerMessage = { type: "taskHistory", data: { taskId, messages: items(timed) } };
      expect(messagesOf(reduce(reduce(opened, load), load))).toHaveLength(10_000);
    }
    // About half a second. Quadratic time would be minutes.
    expect(process.cpuUsage().user - start).toBeLessThan(10_000_000);
  });
});
