import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventStream, readEventId } from "../../src/session/event-stream.js";
import type { EventSink } from "../../src/session/sessions.js";
import { SseWriter, type StreamedBody } from "../../src/transport/http/sse-writer.js";

interface Recorder extends EventSink {
  readonly got: string[];
  readonly ends: number;
}

/** Client that records its events. */
const recorder = (): Recorder => {
  const got: string[] = [];
  let ends = 0;
  return {
    got,
    get ends() {
      return ends;
    },
    write(data, id) {
      got.push(`${id}=${data}`);
      return undefined;
    },
    end() {
      ends++;
    },
  };
};

describe("an event stream", () => {
  test("sends pushed events to the attached client", () => {
    const stream = new EventStream("s");
    const client = recorder();
    expect(stream.isAttached).toBe(false);
    expect(stream.attach(client)).toBe(true);
    expect(stream.isAttached).toBe(true);
    void stream.push("a");
    void stream.push("b");
    expect(client.got).toEqual(["s_1=a", "s_2=b"]);
    expect(client.ends).toBe(0);
  });

  test("returns the sink's promise if the sender should wait", async () => {
    const stream = new EventStream("s");
    expect(stream.push("nobody")).toBeUndefined();
    const slow = Promise.resolve();
    stream.attach({ write: () => slow, end: () => {} });
    expect(stream.push("a")).toBe(slow);
    await slow;
  });

  test("keeps unsent events for the first client that attaches", () => {
    const stream = new EventStream("s");
    void stream.push("a");
    expect(stream.nextId).toBe("s_0");
    const client = recorder();
    stream.attach(client);
    expect(client.got).toEqual(["s_1=a"]);
    expect(stream.nextId).toBe("s_1");
    const next = recorder();
    stream.attach(next);
    expect(next.got).toEqual([]);
    expect(client.ends).toBe(1);
  });

  test("resumes after the event that a client names", () => {
    const stream = new EventStream("s");
    for (const data of ["a", "b", "c"]) void stream.push(data);
    for (const [after, expected] of [
      [0, ["s_1=a", "s_2=b", "s_3=c"]],
      [2, ["s_3=c"]],
      [3, []],
    ] as const) {
      const client = recorder();
      expect(stream.attach(client, { after })).toBe(true);
      expect(client.got).toEqual(expected);
    }
    const stranger = recorder();
    expect(stream.attach(stranger, { after: 4 })).toBe(false);
    void stream.push("d");
    expect(stranger.got).toEqual([]);
  });

  test("sends missed events in one piece", () => {
    const stream = new EventStream("s");
    for (const data of ["a", "b", "c"]) void stream.push(data);
    const written: string[] = [];
    const body: StreamedBody = {
      heldBytes: 0,
      write: (text) => void written.push(text),
      end: () => void written.push("end"),
      cut: () => {},
      drop: () => {},
      onClose: () => {},
    };
    stream.attach(new SseWriter(body, 1_000), { after: 1 });
    void stream.push("d");
    stream.end();
    expect(written).toEqual(["id: s_2\ndata: b\n\nid: s_3\ndata: c\n\n", "id: s_4\ndata: d\n\n", "end"]);
  });

  test("disconnects the client after the pushed events, and accepts it again", () => {
    const stream = new EventStream("s");
    const client = recorder();
    stream.attach(client);
    void stream.push("a");
    stream.hangUp();
    stream.hangUp();
    expect(client.ends).toBe(1);
    void stream.push("b");
    stream.end();
    expect(stream.isEnded).toBe(true);
    const back = recorder();
    expect(stream.attach(back, { after: 1 })).toBe(true);
    expect(back.got).toEqual(["s_2=b"]);
    expect(back.ends).toBe(1);
    expect(stream.isAttached).toBe(false);
  });

  test("detaches a disconnected client, but not the one that took its place", () => {
    const stream = new EventStream("s");
    const [first, second] = [recorder(), recorder()];
    stream.attach(first);
    stream.attach(second);
    stream.detach(first);
    void stream.push("a");
    expect(second.got).toEqual(["s_1=a"]);
    stream.detach(second);
    void stream.push("b");
    expect(second.got).toEqual(["s_1=a"]);
  });

  test.each([
    ["events", { maxEvents: 3, maxLength: 1_000 }, 3],
    ["characters", { maxEvents: 1_000, maxLength: 25 }, 2],
    ["no events", { maxEvents: 0, maxLength: 1_000 }, 1],
    ["no characters", { maxEvents: 1_000, maxLength: 0 }, 1],
  ])("keeps no more than its limit of %s, and always the newest event", (_what, bounds, kept) => {
    const stream = new EventStream("s", bounds);
    for (let count = 0; count < 100; count++) void stream.push("0123456789");
    expect(stream.length).toBe(kept * 10);
    expect(stream.attach(recorder(), { after: 100 - kept - 1 })).toBe(false);
    const client = recorder();
    expect(stream.attach(client, { after: 100 - kept })).toBe(true);
    expect(client.got).toHaveLength(kept);
  });

  test("sends the kept events to a client that names no event, even if more were missed", () => {
    const stream = new EventStream("s", { maxEvents: 2, maxLength: 100 });
    for (const data of ["a", "b", "c"]) void stream.push(data);
    expect(stream.nextId).toBe("s_1");
    const client = recorder();
    expect(stream.attach(client)).toBe(true);
    void stream.push("d");
    expect(client.got).toEqual(["s_2=b", "s_3=c", "s_4=d"]);
  });

  test("neither loses nor duplicates events for any order of pushes, disconnects, and reconnects", () => {
    const step = fc.constantFrom("push", "cut", "back", "hang-up");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const stream = new EventStream("s", { maxEvents: 100, maxLength: 1_000 });
        const got: string[] = [];
        let pushed = 0;
        const sinkOf = (): EventSink => ({ write: (data) => void got.push(data), end: () => {} });
        let sink = sinkOf();
        stream.attach(sink);
        for (const one of steps) {
          if (one === "push") void stream.push(String(++pushed));
          else if (one === "cut") stream.detach(sink);
          else if (one === "hang-up") stream.hangUp();
          else stream.attach((sink = sinkOf()), { after: got.length });
        }
        stream.attach(sinkOf(), { after: got.length });
        expect(got).toEqual(Array.from({ length: pushed }, (_, index) => String(index + 1)));
      }),
    );
  });
});

describe("an event ID", () => {
  test.each([
    ["main_0", { stream: "main", number: 0 }],
    ["12_345", { stream: "12", number: 345 }],
  ])("%s is parsed", (id, expected) => {
    expect(readEventId(id)).toEqual(expected);
  });

  test.each([
    "",
    "_",
    "main",
    "main_",
    "_1",
    "main_x",
    "main_1.5",
    "main_-1",
    "ma in_1",
    "a_b_1",
    "main_1\n",
    `m_${"1".repeat(16)}`,
    `${"m".repeat(65)}_1`,
  ])("%j is rejected", (id) => {
    expect(readEventId(id)).toBeUndefined();
  });
});
