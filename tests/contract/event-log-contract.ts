import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EventLog, type EventLogLimits, StoreError } from "tenon/stores";
import {
  BAD_NAMES,
  BAD_TIMES,
  type ContractOptions,
  LIFETIME,
  openHarness,
  type StoreHarness,
  TRICKY_NAMES,
  TRICKY_TEXTS,
} from "./store-harness.js";

const CANNOT_RESUME = { ok: false, reason: "unknown-id" };

/** Runs the contract that every event log must pass, regardless of its engine. */
export function describeEventLogContract(
  name: string,
  create: (limits: EventLogLimits) => Promise<StoreHarness<EventLog>>,
  { runs = 100 }: ContractOptions = {},
): void {
  const open = (limits: EventLogLimits = {}) => openHarness(() => create(limits));

  describe(`${name} resumes after any event`, () => {
    test("an unknown stream has no events and no ID to resume from", async () => {
      const { store } = await open();
      expect(await store.read("new")).toEqual({ ok: true, events: [] });
      expect(await store.read("new", "1-0")).toEqual(CANNOT_RESUME);
      expect(await store.delete("new")).toBe(false);
    });

    test("reading without new events differs from failing to resume", async () => {
      const { store } = await open();
      const id = await store.append("stream", "a");
      expect(await store.read("stream", id)).toEqual({ ok: true, events: [] });
      expect(await store.read("stream", `${id}x`)).toEqual(CANNOT_RESUME);
      expect(await store.read("stream", "")).toEqual(CANNOT_RESUME);
    });

    test("resuming from any ID returns exactly the events after it, in order", async () => {
      const { store, peer } = await open();
      let round = 0;
      const appends = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.string({ unit: "grapheme" })), {
        maxLength: 30,
      });
      await fc.assert(
        fc.asyncProperty(appends, fc.integer({ min: 1, max: 5 }), async (appends, page) => {
          const prefix = `${round++}/`;
          const model = new Map<string, { id: string; event: string }[]>([
            ["a", []],
            ["b", []],
          ]);
          for (const [stream, event] of appends) {
            model.get(stream)?.push({ id: await store.append(prefix + stream, event), event });
          }
          for (const [stream, events] of model) {
            expect(await peer.read(prefix + stream)).toEqual({ ok: true, events });
            for (const [index, { id }] of events.entries()) {
              const after = events.slice(index + 1);
              expect(await peer.read(prefix + stream, id)).toEqual({ ok: true, events: after });
              const limited = { ok: true, events: after.slice(0, page) };
              expect(await peer.read(prefix + stream, id, page)).toEqual(limited);
            }
            expect(await readInPages(peer, prefix + stream, page)).toEqual(events);
          }
        }),
        { numRuns: runs },
      );
    });

    test("concurrent appends are each kept once, and all readers see the same order", async () => {
      const { store, peer } = await open();
      const ids = await Promise.all(
        Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? store : peer).append("stream", String(n))),
      );
      const seen = await store.read("stream");
      expect(await peer.read("stream")).toEqual(seen);
      const events = seen.ok ? seen.events : [];
      expect(events.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      for (const { id, event } of events) expect(ids[Number(event)]).toBe(id);
    });

    test.each(TRICKY_TEXTS.map((text) => [JSON.stringify(text.slice(0, 30)), text]))(
      "the event %s is returned unchanged",
      async (_label, event) => {
        const { store } = await open();
        const id = await store.append("stream", event);
        expect(await store.read("stream")).toEqual({ ok: true, events: [{ id, event }] });
      },
    );

    test("similar or unusual stream names and IDs stay separate", async () => {
      const { store } = await open();
      for (const stream of TRICKY_NAMES) {
        for (const id of TRICKY_NAMES) await store.append(stream, `${id} in ${stream}`, { id });
      }
      for (const stream of TRICKY_NAMES) {
        const events = TRICKY_NAMES.map((id) => ({ id, event: `${id} in ${stream}` }));
        expect(await store.read(stream)).toEqual({ ok: true, events });
        for (const [index, id] of TRICKY_NAMES.entries()) {
          expect(await store.read(stream, id)).toEqual({ ok: true, events: events.slice(index + 1) });
        }
      }
    });

    test.each(BAD_NAMES.map((text) => [text.length, text] as const))(
      "a stream name or ID with %d characters is rejected",
      async (_length, text) => {
        const { store } = await open();
        await expect(store.append(text, "a")).rejects.toThrow(RangeError);
        await expect(store.read(text)).rejects.toThrow(RangeError);
        await expect(store.delete(text)).rejects.toThrow(RangeError);
        await expect(store.append("stream", "a", { id: text })).rejects.toThrow(RangeError);
        expect(await store.delete("stream")).toBe(false);
      },
    );

    test.each([0, ...BAD_TIMES])("a limit of %d is rejected", async (limit) => {
      const { store } = await open();
      await expect(store.read("stream", undefined, limit)).rejects.toThrow(RangeError);
    });
  });

  describe(`${name} assigns IDs`, () => {
    test("an ID is valid only in its own stream", async () => {
      const { store } = await open();
      const id = await store.append("one", "a");
      await store.append("other", "a");
      expect(await store.read("other", id)).toEqual(CANNOT_RESUME);
    });

    test("a deleted stream starts empty, and its IDs are never reused", async () => {
      const { store } = await open();
      const old = [await store.append("stream", "a"), await store.append("stream", "b")];
      expect(await store.delete("stream")).toBe(true);
      expect(await store.read("stream")).toEqual({ ok: true, events: [] });
      for (let n = 0; n < 4; n++) expect(old).not.toContain(await store.append("stream", "c"));
      for (const id of old) expect(await store.read("stream", id)).toEqual(CANNOT_RESUME);
    });

    test("an ID from the caller is used, and appending it again changes nothing", async () => {
      const { store, peer } = await open();
      expect(await store.append("stream", "a", { id: "mine" })).toBe("mine");
      const second = await store.append("stream", "b");
      expect(await peer.append("stream", "retried", { id: "mine" })).toBe("mine");
      expect(await store.append("stream", "retried", { id: second })).toBe(second);
      const events = [
        { id: "mine", event: "a" },
        { id: second, event: "b" },
      ];
      expect(await store.read("stream")).toEqual({ ok: true, events });
      expect(await store.read("stream", "mine")).toEqual({ ok: true, events: events.slice(1) });
    });
  });

  describe(`${name} is limited`, () => {
    test("trimming keeps the newest events, and a trimmed ID cannot resume", async () => {
      const limits = fc.record({
        maxEvents: fc.integer({ min: 1, max: 8 }),
        maxBytes: fc.integer({ min: 8, max: 40 }),
      });
      const appended = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 30 });
      await fc.assert(
        fc.asyncProperty(limits, appended, async (limits, appended) => {
          const { store, close } = await create(limits);
          let kept: { id: string; event: string }[] = [];
          const trimmed: string[] = [];
          for (const event of appended) {
            if (bytesOf(event) > limits.maxBytes) {
              await expect(store.append("stream", event)).rejects.toMatchObject({ code: "too-large" });
              continue;
            }
            kept = [...kept, { id: await store.append("stream", event), event }];
            while (kept.length > limits.maxEvents || sumOf(kept) > limits.maxBytes) {
              trimmed.push(kept[0]?.id ?? "");
              kept = kept.slice(1);
            }
          }
          expect(await store.read("stream")).toEqual({ ok: true, events: kept });
          for (const id of trimmed) expect(await store.read("stream", id)).toEqual(CANNOT_RESUME);
          for (const [index, { id }] of kept.entries()) {
            expect(await store.read("stream", id)).toEqual({ ok: true, events: kept.slice(index + 1) });
          }
          await close();
        }),
        { numRuns: runs },
      );
    });

    test("bytes are counted in UTF-8", async () => {
      const { store } = await open({ maxBytes: 6 });
      await store.append("stream", "ää");
      const id = await store.append("stream", "日");
      expect(await store.read("stream")).toEqual({ ok: true, events: [{ id, event: "日" }] });
    });

    test("an event above the limit is rejected, and the stream stays unchanged", async () => {
      const { store } = await open({ maxBytes: 10 });
      const id = await store.append("stream", "0123456789");
      const refused = store.append("stream", "0123456789x");
      await expect(refused).rejects.toBeInstanceOf(StoreError);
      await expect(refused).rejects.toMatchObject({ code: "too-large" });
      await expect(store.append("new", "0123456789x")).rejects.toMatchObject({ code: "too-large" });
      expect(await store.read("stream")).toEqual({ ok: true, events: [{ id, event: "0123456789" }] });
      expect(await store.delete("new")).toBe(false);
    });

    test("a stream expires as a whole after its last append", async () => {
      const { ttl, within, rest } = LIFETIME;
      const { store, advance } = await open({ ttlMs: ttl });
      const first = await store.append("stream", "a");
      await store.append("read", "a");
      await advance(within);
      const second = await store.append("stream", "b");
      await store.read("read");
      await advance(rest);
      expect(await store.read("read")).toEqual({ ok: true, events: [] });
      expect(await store.read("stream", first)).toEqual({ ok: true, events: [{ id: second, event: "b" }] });
      await advance(rest);
      expect(await store.read("stream", first)).toEqual(CANNOT_RESUME);
      expect(await store.read("stream", second)).toEqual(CANNOT_RESUME);
      expect(await store.delete("stream")).toBe(false);
    });
  });
}

async function readInPages(log: EventLog, stream: string, page: number) {
  const events: { id: string; event: string }[] = [];
  for (;;) {
    const read = await log.read(stream, events.at(-1)?.id, page);
    if (!read.ok || read.events.length === 0) return events;
    events.push(...read.events);
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function sumOf(events: readonly { readonly event: string }[]): number {
  return events.reduce((sum, { event }) => sum + bytesOf(event), 0);
}
