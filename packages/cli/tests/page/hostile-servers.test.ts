import { describe, expect, test, vi } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { LogFeed } from "../../src/page/feed/log-feed.js";
import { PageFeed } from "../../src/page/feed/page-feed.js";
import { showWords } from "../../src/page/launch/inspect-servers.js";
import type { PageEvent } from "../../src/page/protocol.js";
import { CallRecord, type CallStart } from "../../src/page/record/call-record.js";
import { CallStore } from "../../src/page/record/call-store.js";
import { MAX_CALL_BYTES, MAX_WIRE_TEXT } from "../../src/page/record/limits.js";
import { findProblems } from "../../src/page/schema/find-problems.js";
import { runLimited } from "@tenon/internal/limits/run-limited";
import type { PageCalls } from "../../src/page/workbench/calls/page-calls.js";
import { Replays } from "../../src/page/workbench/calls/replays.js";
import { CallContext, ClientTrack } from "../../src/page/workbench/connections/call-context.js";
import { Questions } from "../../src/page/workbench/questions.js";

const START: CallStart = {
  client: { kind: "page", name: "This page" },
  era: "modern",
  revision: undefined,
  method: "tools/call",
  params: { name: "add" },
  at: 1_000,
};

const createRecord = () => new CallRecord("c1", START, () => undefined);

function createFeed() {
  const events: PageEvent[] = [];
  const feed = new PageFeed({ calls: () => [] });
  feed.connect((event) => events.push(event));
  return { feed, events };
}

describe("a schema that takes too long", () => {
  test.each<[string, JsonObject, unknown]>([
    ["a pattern", { type: "string", pattern: "^(a+)+$" }, `${"a".repeat(60)}!`],
    [
      "references",
      {
        $ref: "#/$defs/0",
        $defs: Object.fromEntries(
          Array.from({ length: 40 }, (_, level) => [
            level,
            level === 39
              ? { type: "string" }
              : { allOf: [{ $ref: `#/$defs/${level + 1}` }, { $ref: `#/$defs/${level + 1}` }] },
          ]),
        ),
      },
      "value",
    ],
  ])("because of %s is interrupted", (_name, schema, value) => {
    expect(findProblems(schema, value)).toEqual({
      ok: false,
      reason: "The validation takes too long (limit: 1000 ms).",
    });
    // The validator works afterwards.
    expect(findProblems({ type: "string" }, 1)).toEqual({
      ok: true,
      problems: [{ path: [], message: "Must be a string." }],
    });
  });

  test("limited work returns its value, or throws its error", () => {
    expect(runLimited(() => 1, 1_000)).toEqual({ ok: true, value: 1 });
    const fail = () => {
      throw new TypeError("no");
    };
    expect(() => runLimited(fail, 1_000)).toThrow(new TypeError("no"));
  });
});

describe("problems of a value", () => {
  test.each<[JsonObject, unknown, string]>([
    [{ type: ["string", "null"] }, 1, "Must be a string or null."],
    [{ type: "boolean" }, 1, "Must be true or false."],
    [{ type: "integer" }, 1.5, "Must be an integer."],
    [{ enum: ["a", 2] }, "b", 'Must be one of "a", 2.'],
    [{ const: "a" }, "b", 'Must be "a".'],
    [{ format: "email" }, "b", "Must have the format email."],
    [{ pattern: "^a$" }, "b", "Must match the pattern ^a$."],
    [{ minimum: 2 }, 1, "Must be at least 2."],
    [{ maximum: 2 }, 3, "Must be at most 2."],
    [{ exclusiveMinimum: 2 }, 2, "Must be greater than 2."],
    [{ exclusiveMaximum: 2 }, 2, "Must be less than 2."],
    [{ multipleOf: 2 }, 3, "Must be a multiple of 2."],
    [{ minLength: 1 }, "", "Must have at least 1 character."],
    [{ maxLength: 2 }, "abc", "Must have at most 2 characters."],
    [{ minItems: 2 }, [], "Must have at least 2 items."],
    [{ maxItems: 1 }, [1, 2], "Must have at most 1 item."],
    [{ minProperties: 1 }, {}, "Must have at least 1 property."],
    [{ maxProperties: 0 }, { a: 1 }, "Must have at most 0 properties."],
    [{ uniqueItems: true }, [1, 1], "All items must be different."],
    [{ contains: { type: "string" } }, [1], "Does not contain the required items."],
    [{ not: { type: "string" } }, "a", "Has a form that is not allowed."],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "Requires b if a is present."],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, 1, "Matches none of the allowed forms."],
    [{ oneOf: [{ type: "string" }, { type: "null" }] }, 1, "Matches none of the allowed forms."],
    [
      { oneOf: [{ type: "number" }, { minimum: 0 }] },
      1,
      "Matches more than one of the forms, of which only one is allowed.",
    ],
    [false as unknown as JsonObject, 1, "This property is not allowed."],
  ])("of %j are sentences for %j", (property, value, message) => {
    const outcome = findProblems({ properties: { it: property } }, { it: value });
    expect(outcome).toMatchObject({ ok: true });
    expect(outcome.ok ? outcome.problems : []).toContainEqual({ path: ["it"], message });
  });
});

describe("the record of a call stays bounded", () => {
  test("by the size of its messages", () => {
    const record = createRecord();
    const text = "x".repeat(MAX_WIRE_TEXT);
    for (let at = 0; at < 500; at++) record.addMessage({ direction: "received", at: 1_000 + at, text });
    expect(record.size).toBeLessThan(MAX_CALL_BYTES + 2 * MAX_WIRE_TEXT);
    expect(record.wire.at(-1)).toMatchObject({ at: 499, isCut: true });
  });

  test("by the size of its headers", () => {
    const record = createRecord();
    const headers = [["x-large", "x".repeat(100_000)]] as const;
    for (let at = 0; at < 1_000; at++)
      record.addMessage({
        direction: "received",
        at: 1_000 + at,
        text: "{}",
        http: { status: 200, headers },
      });
    expect(record.size).toBeGreaterThan(MAX_CALL_BYTES - 200_000);
    expect(record.size).toBeLessThan(MAX_CALL_BYTES + 200_000);
  });

  test("by the size of its error", () => {
    const store = new CallStore({ onChange: () => undefined, limits: { calls: 10, bytes: 1_000_000 } });
    for (let index = 0; index < 10; index++) {
      const message = "m".repeat(10_000);
      const error = { code: 1, message, data: "d".repeat(200_000) };
      store.start(START).finish({ outcome: "error", message, error, at: 1_001 });
    }
    expect(store.count).toBeLessThan(10);
    const long = createRecord();
    const error = { code: 1, message: "m".repeat(2_000_000), data: "d".repeat(2_000_000) };
    long.finish({ outcome: "error", message: error.message, error, at: 1_001 });
    expect(JSON.stringify([long.toSummary(), long.error]).length).toBeLessThan(5_000);
    expect(long.error).not.toHaveProperty("data");
  });

  test("by the length of the ID of its task", () => {
    const record = createRecord();
    record.setTask("t".repeat(1_000_000));
    expect(record.taskId).toBeUndefined();
    record.setTask("t1");
    expect(record.taskId).toBe("t1");
  });

  test("although its task changes often", () => {
    const record = createRecord();
    for (let at = 0; at < 10_000; at++)
      record.addPhases([{ name: "handler", start: 1_000 + at, end: 1_001 + at }]);
    expect(record.toSummary().phases).toEqual([{ name: "handler", start: 0, end: 10_000 }]);
  });
});

describe("phases that arrive after the end of a page's call", () => {
  test("are cut at its end, and the rest is the network", () => {
    const record = createRecord();
    record.finish({ outcome: "cancelled", at: 1_010 });
    expect(record.toSummary().phases).toEqual([{ name: "network", start: 0, end: 10 }]);
    record.addPhases([
      { name: "queue", start: 1_001, end: 1_002 },
      { name: "handler", start: 1_002, end: 1_020 },
      { name: "network", start: 1_020, end: 1_021 },
    ]);
    expect(record.toSummary().phases).toEqual([
      { name: "queue", start: 1, end: 2 },
      { name: "handler", start: 2, end: 10 },
      { name: "network", start: 0, end: 1 },
    ]);
  });
});

describe("questions", () => {
  test("are rejected beyond 16 MB", async () => {
    const { feed, events } = createFeed();
    const questions = new Questions(feed, () => undefined);
    const { input } = questions.handlers(() => ({ era: "modern", record: undefined }));
    const ask = () => Promise.resolve(input?.({ message: "x".repeat(6_000_000) }));
    const asked = [ask(), ask()].map((one) => one.catch(() => undefined));
    await expect(ask()).rejects.toThrow("The open questions are too large (limit: 16777216 characters).");
    expect(events.filter(({ type }) => type === "question")).toHaveLength(2);
    questions.close();
    await Promise.all(asked);
  });

  test("of a server are forgotten when they are answered", () => {
    const context = new CallContext();
    const record = createRecord();
    const track = new ClientTrack(context, () => undefined);
    const take = (direction: "sent" | "received", message: object) =>
      track.take({ direction, at: 0, text: JSON.stringify(message) });
    context.run(record, () => take("received", { id: 5, method: "roots/list" }));
    take("sent", { id: 5, result: {} });
    expect(record.wire.map(({ direction }) => direction)).toEqual(["received", "sent"]);
    // A second answer belongs to nothing.
    take("sent", { id: 5, result: {} });
    expect(record.wire).toHaveLength(2);
  });
});

describe("a replay", () => {
  test("of many calls publishes its state rarely, because each one contains all differences", async () => {
    const { feed, events } = createFeed();
    const record = { id: "c1", outcome: "error", isRunning: false };
    const start = () => ({ record, ended: Promise.resolve() });
    // Safe: a replay uses only these members.
    const replays = new Replays(feed, { start } as unknown as PageCalls);
    const call = { era: "modern", method: "tools/call", outcome: "ok", at: 0 } as const;
    const calls = Array.from({ length: 2_000 }, () => call);
    replays.start({ format: "tenon-recording", version: 1, server: { name: "", version: "" }, calls });
    const states = () => events.flatMap((event) => (event.type === "replay" ? [event.replay] : []));
    await vi.waitFor(() => expect(states().at(-1)?.status).toBe("done"));
    expect(states().at(-1)).toMatchObject({ done: 2_000, total: 2_000 });
    expect(states().at(-1)?.differences).toHaveLength(2_000);
    expect(states().length).toBeLessThan(500);
  });
});

describe("credentials", () => {
  test.each<[readonly string[], readonly string[]]>([
    [
      ["node", "server.js", "--token", "s3cret"],
      ["node", "server.js", "--token", "[REDACTED]"],
    ],
    [
      ["srv", "--api-key=s3cret", "--verbose"],
      ["srv", "--api-key=[REDACTED]", "--verbose"],
    ],
    [
      ["srv", "--password", "--port", "1"],
      ["srv", "--password", "--port", "1"],
    ],
    [
      ["srv", "-key", "s3cret", "shown"],
      ["srv", "-key", "[REDACTED]", "shown"],
    ],
  ])("in the words %j of a program are hidden", (words, shown) => {
    expect(showWords(words)).toEqual(shown);
  });

  test("in lines of the log are hidden", () => {
    const { feed, events } = createFeed();
    const log = new LogFeed(feed);
    const line = { source: "output", level: "info", logger: undefined } as const;
    log.add({ ...line, text: "authorization: Bearer s3cret-value" });
    log.add({ ...line, text: 'connecting with {"access_token":"s3cret-value"}' });
    log.add({ ...line, text: "word ".repeat(10_000) });
    const texts = events.flatMap((event) => (event.type === "log" ? [event.entry.text] : []));
    expect(texts).toHaveLength(3);
    expect(JSON.stringify(texts)).not.toContain("s3cret");
    expect(texts[1]).toContain("connecting with");
    expect(texts[2]?.length).toBeLessThanOrEqual(8_193);
  });
});
