import { systemPorts } from "@tenon/internal/ports";
import { describe, expect, test } from "vitest";
import { createMemoryStore, type SharedStore } from "tenon/stores";
import { KeyRing } from "../../../src/core/call/key-ring.js";
import { createRecordSealer } from "../../../src/core/call/record-sealer.js";
import { CallStream } from "../../../src/session/shared/call-stream.js";
import { ClusterNode } from "../../../src/session/shared/cluster-node.js";
import { NodeLists } from "../../../src/session/shared/node-lists.js";
import { SessionLog } from "../../../src/session/shared/session-log.js";
import type { ResumableSink } from "../../../src/session/sessions.js";

/** Client that records what it receives. */
const createSink = () => {
  const got: string[] = [];
  const sink: ResumableSink = {
    write: (data) => void got.push(data),
    prime: (id) => void got.push(`prime ${id}`),
    end: () => void got.push("end"),
  };
  return { got, sink };
};

/** Creates a stream on a store whose appends, except for the first, wait until `release` is called. */
const setUp = (bounds = { maxEvents: 1_000, maxLength: 1_000_000 }) => {
  const inner = createMemoryStore();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const append: SharedStore["events"]["append"] = async (...rest) => {
    if (rest[2]?.id !== "s_0") await released;
    return inner.events.append(...rest);
  };
  const store = { ...inner, events: { ...inner.events, append } };
  const reports: unknown[] = [];
  const sealer = createRecordSealer(new KeyRing(systemPorts));
  const report = (error: unknown) => void reports.push(error);
  const warn = () => undefined;
  const lists = new NodeLists(systemPorts, () => ({}));
  const node = new ClusterNode({ store, ports: systemPorts, sealer, server: "tests", lists, report, warn });
  const log = new SessionLog(node, "key");
  let onEnd = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnd = resolve;
  });
  const stream = new CallStream("s", { node, log, bounds, scopes: [], requests: [1], onEnd });
  return { stream, log, ended, release, reports };
};

describe("the stream of a call", () => {
  test("sends an event only after it is stored", async () => {
    const { stream, log, ended, release } = setUp();
    const { got, sink } = createSink();
    stream.start(sink, 1_000);
    const pushed = stream.push("one");
    await expect.poll(() => got).toEqual(["prime s_0"]);
    release();
    await pushed;
    expect(got).toEqual(["prime s_0", "one"]);
    stream.end();
    await ended;
    expect((await log.read())?.map(({ id }) => id)).toEqual(["s_0", "s_1", "s_end"]);
  });

  test("ignores events after its end", async () => {
    const { stream, log, ended, release } = setUp();
    release();
    const { got, sink } = createSink();
    stream.start(sink, undefined);
    await stream.push("one");
    stream.end();
    await stream.push("late");
    stream.end();
    await ended;
    expect(got).toEqual(["one", "end"]);
    expect(await log.read()).toHaveLength(3);
  });

  test.each([
    { limit: "events", bounds: { maxEvents: 20, maxLength: 1_000_000 } },
    { limit: "characters", bounds: { maxEvents: 1_000, maxLength: 100 } },
  ])("at the limit of waiting $limit, sends all events without storing the rest", async ({ bounds }) => {
    const { stream, log, ended, release, reports } = setUp(bounds);
    const { got, sink } = createSink();
    stream.start(sink, 1_000);
    await expect.poll(() => got).toEqual(["prime s_0"]);
    const texts = Array.from({ length: 50 }, (_, index) => `event ${index}`);
    for (const text of texts) void stream.push(text);
    stream.end();
    release();
    await ended;
    expect(got).toEqual(["prime s_0", ...texts, "end"]);
    expect(reports).toEqual([
      expect.objectContaining({ message: expect.stringContaining("wait for the store") }),
    ]);
    // A client that resumed elsewhere gets an error instead of waiting forever.
    const entries = (await log.read()) ?? [];
    expect(entries.length).toBeLessThan(50);
    expect(entries.at(-1)).toMatchObject({ id: "s_end", isLast: true });
    expect(entries.at(-2)?.data).toContain("could not be stored");
  });

  test("stores nothing after the session has ended", async () => {
    const { stream, log, ended, release } = setUp();
    release();
    const { got, sink } = createSink();
    stream.start(sink, undefined);
    await stream.push("one");
    await log.delete();
    stream.discard();
    await stream.push("two");
    stream.end();
    await ended;
    expect(got).toEqual(["one", "end"]);
    expect(await log.read()).toEqual([]);
  });
});
