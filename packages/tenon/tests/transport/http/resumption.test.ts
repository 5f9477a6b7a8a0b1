import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../../src/core/define-server.js";
import type { JsonObject } from "@tenon/internal/json";
import {
  allEvents,
  allMessages,
  messagesOf,
  readEvents,
  type SseEvent,
} from "../../../../../tests/support/http-events.js";
import { FACES, until } from "../../../../../tests/support/http-faces.js";
import { type LegacyClient, openSession } from "../../../../../tests/support/http-messages.js";

/** Server with calls that send events, run slowly, and close their streams. */
const setUp = () => {
  const seen = { hungUp: 0, release: () => {} };
  const gate = new Promise<void>((resolve) => {
    seen.release = resolve;
  });
  const server = defineServer({ name: "resumption", version: "1.0.0" })
    .tool("count", {
      input: z.object({ to: z.int() }),
      handler: async ({ to }, call) => {
        for (let number = 1; number <= to; number++) {
          await call.log("info", number);
          await nextTurn();
        }
        return "done";
      },
    })
    .tool("shout", {
      input: z.object({ length: z.int() }),
      handler: async ({ length }, call) => {
        await call.log("info", "first");
        return "x".repeat(length);
      },
    })
    .tool("poll", {
      handler: async (_, call) => {
        call.hangUp();
        seen.hungUp++;
        await gate;
        await call.log("info", "on the way");
        return "done";
      },
    })
    .build();
  return { server, seen };
};

const text = (value: string) => ({ content: [{ type: "text", text: value }] });
const logged = (data: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data },
});
const counted = (to: number, id: string | number = 1) => [
  ...Array.from({ length: to }, (_, index) => logged(index + 1)),
  { jsonrpc: "2.0", id, result: text("done") },
];

/**
 * Reads a stream, disconnects after given numbers of events, and reconnects with the last ID. The last time it reads
 * to the end.
 */
async function readWithCuts(
  first: Response,
  cuts: readonly number[],
  client: LegacyClient,
): Promise<readonly SseEvent[]> {
  const got: SseEvent[] = [];
  let response = first;
  for (const cut of cuts) {
    if (response.status === 204) break;
    const events = readEvents(response);
    for (let count = 0; count < cut; count++) {
      const event = await events.next();
      if (event === undefined) break;
      got.push(event);
    }
    await events.cut();
    response = await client.get(got.findLast(({ id }) => id !== undefined)?.id);
  }
  return [...got, ...(await allEvents(response))];
}

describe.each(FACES)("a call's stream on $name", (face) => {
  test("starts with an event ID and the reconnect delay", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server, { retryMs: 250 }));
    const [priming, ...rest] = await allEvents(await client.call("count", { to: 2 }));
    expect(priming).toEqual({ id: "1_0", retry: "250", data: "" });
    expect(rest.map(({ id }) => id)).toEqual(["1_1", "1_2", "1_3"]);
    expect(messagesOf(rest)).toEqual(counted(2));
  });

  test.each(["2025-03-26", "2025-06-18"])("of %s has ids, but no event without data", async (revision) => {
    const { server } = setUp();
    const client = await openSession(await face.open(server), { revision });
    const events = await allEvents(await client.call("count", { to: 1 }));
    expect(events.map(({ id, data }) => [id, data === ""])).toEqual([
      ["1_1", false],
      ["1_2", false],
    ]);
    expect(await allMessages(await client.get("1_1"))).toEqual(counted(1).slice(1));
  });

  test("resumes after a disconnect at any event, without loss or duplicates", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    for (let cut = 1; cut <= 6; cut++) {
      const first = await client.call("count", { to: 4 }, cut);
      const events = await readWithCuts(first, [cut], client);
      expect(messagesOf(events)).toEqual(counted(4, cut));
    }
  });

  test("resumes after several disconnects at any positions, without loss or duplicates", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    let id = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 8 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
        async (to, laterCuts) => {
          id++;
          const first = await client.call("count", { to }, id);
          if (first.headers.get("content-type") !== "text/event-stream") {
            expect(await allMessages(first)).toEqual(counted(to, id));
            return;
          }
          // A client that has not received the first event does not have an ID to resume from.
          const events = await readWithCuts(first, [1, ...laterCuts], client);
          expect(messagesOf(events)).toEqual(counted(to, id));
          // The first event of a resumed stream repeats the position, without data.
          const ids = events.filter(({ data }) => data !== "").map((event) => event.id);
          expect(new Set(ids).size).toBe(ids.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("that the call closed sends the result to a client that reconnects", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server));
    const events = await allEvents(await client.call("poll"));
    expect(events).toEqual([{ id: "1_0", retry: "1000", data: "" }]);
    // An early reconnect keeps waiting. The stream ends when the call ends.
    const resumed = await client.get("1_0");
    seen.release();
    expect(await allMessages(resumed)).toEqual([
      logged("on the way"),
      { jsonrpc: "2.0", id: 1, result: text("done") },
    ]);
    // A client that lost that connection too can resume once more.
    expect(await allMessages(await client.get("1_1"))).toHaveLength(1);
    expect(await allMessages(await client.get("1_2"))).toEqual([]);
  });

  test("is not closed early if the client would not reconnect", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server), { revision: "2025-06-18" });
    const pending = client.call("poll");
    await until(() => seen.hungUp === 1);
    seen.release();
    expect(await allMessages(await pending)).toHaveLength(2);
  });

  test("keeps a result that is larger than the limit", async () => {
    const { server } = setUp();
    const streams = { maxEvents: 10, maxLength: 1_000 };
    const client = await openSession(await face.open(server, { sessions: { streams } }));
    await allEvents(await client.call("shout", { length: 5_000 }));
    const [result] = await allMessages(await client.get("1_1"));
    expect(result).toMatchObject({ id: 1, result: text("x".repeat(5_000)) });
  });

  test("ends for the first reader when a second one takes over", async () => {
    const { server, seen } = setUp();
    const client = await openSession(await face.open(server));
    await allEvents(await client.call("poll"));
    const first = await client.get("1_0");
    const second = await client.get("1_0");
    seen.release();
    expect(await allMessages(first)).toEqual([]);
    expect(await allMessages(second)).toHaveLength(2);
  });
});

describe.each(FACES)("IDs that cannot be resumed on $name", (face) => {
  test("an empty ID starts a new main stream", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    await allEvents(await client.call("count", { to: 1 }));
    const events = readEvents(await client.get(""));
    expect(await events.next()).toEqual({ id: "main_0", retry: "1000", data: "" });
    server.update((editor) => editor.tool("another", { handler: () => "" }));
    expect((await events.next())?.id).toBe("main_1");
    await events.cut();
  });

  test("the ID of a call's last event is 204", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    await allEvents(await client.call("count", { to: 1 }));
    expect((await client.get("1_2")).status).toBe(204);
  });

  test("an ID whose next events were dropped resumes with the kept ones", async () => {
    const { server } = setUp();
    const streams = { maxEvents: 2, maxLength: 10_000 };
    const client = await openSession(await face.open(server, { sessions: { streams } }));
    await allEvents(await client.call("count", { to: 5 }));
    expect(await allMessages(await client.get("1_4"))).toHaveLength(2);
    expect(await allMessages(await client.get("1_1"))).toEqual(counted(5).slice(-2));
  });

  test("the last 16 calls' streams are kept", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    for (let id = 1; id <= 18; id++) await allEvents(await client.call("count", { to: 1 }, id));
    expect(await allMessages(await client.get("18_1"))).toHaveLength(1);
    expect(await allMessages(await client.get("3_1"))).toHaveLength(1);
    expect((await client.get("1_1")).status).toBe(204);
  });

  test("a stream from a different session cannot be resumed", async () => {
    const { server } = setUp();
    const endpoint = await face.open(server);
    const [ada, eve] = [await openSession(endpoint), await openSession(endpoint)];
    await allEvents(await ada.call("count", { to: 2 }));
    expect((await eve.get("1_1")).status).toBe(400);
  });
});

describe.each(FACES)("the main stream on $name", (face) => {
  const toolsOf = (messages: readonly JsonObject[]) => messages.map(({ method }) => method);

  test("sends each change once, with disconnects at any positions", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ changes: fc.integer({ min: 0, max: 3 }), reads: fc.integer({ min: 0, max: 3 }) }),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        async (rounds) => {
          const { server } = setUp();
          const client = await openSession(await face.open(server));
          const got: SseEvent[] = [];
          let changes = 0;
          for (const round of rounds) {
            const events = readEvents(await client.get(got.findLast(({ id }) => id !== undefined)?.id));
            // A new stream's first event has only an ID, from which the client can resume.
            if (got.length === 0) got.push((await events.next()) ?? {});
            for (let count = 0; count < round.changes; count++) {
              changes++;
              server.update((editor) => editor.tool(`t${changes}`, { handler: () => "" }));
            }
            const missing = changes - messagesOf(got).length;
            for (let count = 0; count < Math.min(round.reads, missing); count++)
              got.push((await events.next()) ?? {});
            await events.cut();
          }
          const last = await client.get(got.at(-1)?.id);
          const reading = allEvents(last);
          await client.end();
          const all = [...got, ...(await reading)];
          expect(messagesOf(all)).toHaveLength(changes);
          // The first event of a stream has the position, without data.
          expect(all.filter(({ data }) => data !== "").map(({ id }) => id)).toEqual(
            Array.from({ length: changes }, (_, index) => `main_${index + 1}`),
          );
        },
      ),
      { numRuns: 20 },
    );
  });

  test("sends nothing twice to a client that disconnects right after its second stream starts", async () => {
    const { server } = setUp();
    const client = await openSession(await face.open(server));
    server.update((editor) => editor.tool("one", { handler: () => "" }));
    const first = readEvents(await client.get());
    await first.message();
    await first.cut();
    const second = readEvents(await client.get());
    const priming = await second.next();
    await second.cut();
    server.update((editor) => editor.tool("two", { handler: () => "" }));
    const third = await client.get(priming?.id);
    const reading = allMessages(third);
    await client.end();
    expect(toolsOf(await reading)).toEqual(["notifications/tools/list_changed"]);
  });
});
