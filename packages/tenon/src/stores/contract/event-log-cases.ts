/**
 * @fileoverview Contract cases for event logs: order, resumption, and IDs.
 * @module tenon/stores/contract/event-log-cases
 */
import { assertEqual } from "../../tasks/contract/checks.js";
import type { EventLogLimits } from "../event-limits.js";
import type { EventLog, EventRead, LoggedEvent } from "../ports.js";
import { assertRangeErrors, defineNodeCases, type StoreCase } from "./case-context.js";
import {
  BAD_NAMES,
  BAD_NUMBERS,
  LARGE_TEXT,
  type Random,
  times,
  toLabel,
  TRICKY_NAMES,
  TRICKY_TEXTS,
} from "./samples.js";

type Case = StoreCase<EventLog, EventLogLimits>;

/** Outcome of a read after an ID that the stream does not contain. */
export const CANNOT_RESUME: EventRead = { ok: false, reason: "unknown-id" };

/** Cases for reading. */
const READ_CASES: readonly Case[] = [
  .../* @__PURE__ */ defineNodeCases<EventLog, EventLogLimits>({
    async "an unknown stream has no events and no ID to resume from"([log]) {
      assertEqual("The events", await log.read("new"), { ok: true, events: [] });
      assertEqual("The events after an ID", await log.read("new", "1-0"), CANNOT_RESUME);
      assertEqual("`delete`", await log.delete("new"), false);
    },
    async "reading without new events differs from failing to resume"([log]) {
      const id = await log.append("stream", "a");
      assertEqual("The events after the last ID", await log.read("stream", id), { ok: true, events: [] });
      for (const unknown of [`${id}x`, "", "0", "0-0", "$", "-", "+", "999999999999999-0"]) {
        assertEqual(`The events after "${unknown}"`, await log.read("stream", unknown), CANNOT_RESUME);
      }
    },
    async "resuming from any ID returns exactly the events after it, in order"(nodes, context) {
      await context.repeat((random, run) => runResumption(nodes, random, `${run}/`));
    },
    async "concurrent appends are each kept once, and all readers see the same order"([log, peer]) {
      const ids = await Promise.all(times(40, (n) => (n % 2 === 0 ? log : peer).append("stream", String(n))));
      const seen = await log.read("stream");
      assertEqual("The events on another node", await peer.read("stream"), seen);
      const events = seen.ok ? seen.events : [];
      assertEqual("The IDs", events.map(({ id }) => id).toSorted(), ids.toSorted());
      for (const { id, event } of events) assertEqual(`The ID of event ${event}`, ids[Number(event)], id);
    },
    async "similar or unusual stream names and IDs stay separate"([log]) {
      for (const stream of TRICKY_NAMES) {
        for (const id of TRICKY_NAMES) await log.append(stream, `${id} in ${stream}`, { id });
      }
      for (const stream of TRICKY_NAMES) {
        const events = TRICKY_NAMES.map((id) => ({ id, event: `${id} in ${stream}` }));
        const what = `The events of ${toLabel(stream)}`;
        assertEqual(what, await log.read(stream), { ok: true, events });
        for (const index of [0, 1, TRICKY_NAMES.length - 2]) {
          const expected = { ok: true, events: events.slice(index + 1) };
          assertEqual(`${what} after an ID`, await log.read(stream, TRICKY_NAMES[index]), expected);
        }
      }
    },
  }),
  ...[...TRICKY_TEXTS, LARGE_TEXT].map((event): Case => ({
    title: `the event ${toLabel(event)} (${event.length} characters) is returned unchanged`,
    async run(context) {
      const [log, peer] = await context.openBoth({});
      const id = await log.append("stream", event);
      assertEqual("The events", await peer.read("stream"), { ok: true, events: [{ id, event }] });
    },
  })),
  ...BAD_NAMES.map((text): Case => ({
    title: `a stream name or ID with ${text.length} characters is rejected`,
    async run(context) {
      const log = await context.open({});
      await assertRangeErrors({
        append: log.append(text, "a"),
        read: log.read(text),
        delete: log.delete(text),
        "append with an ID": log.append("stream", "a", { id: text }),
      });
      assertEqual("`delete`", await log.delete("stream"), false);
    },
  })),
  ...[0, ...BAD_NUMBERS].map((limit): Case => ({
    title: `a limit of ${limit} is rejected`,
    async run(context) {
      const log = await context.open({});
      await assertRangeErrors({ read: log.read("stream", undefined, limit) });
    },
  })),
  {
    title: "the log works again after its connection was lost",
    needs: "interrupt",
    async run(context) {
      const [log, peer] = await context.openBoth({});
      const first = await log.append("stream", "a");
      await context.interrupt(log);
      // The ID makes the retries safe: an append may have been executed although its response was lost.
      await context.untilDone("an append succeeds", () => log.append("stream", "b", { id: "second" }));
      const expected = { ok: true, events: [{ id: "second", event: "b" }] };
      assertEqual("The events on another node", await peer.read("stream", first), expected);
    },
  },
];

/** Cases for IDs. */
const ID_CASES = /* @__PURE__ */ defineNodeCases<EventLog, EventLogLimits>({
  async "an ID is valid only in its own stream"([log]) {
    const id = await log.append("one", "a");
    await log.append("other", "a");
    assertEqual("The events of the other stream", await log.read("other", id), CANNOT_RESUME);
  },
  async "a deleted stream starts empty, and its IDs are never reused"([log, peer]) {
    const old = [await log.append("stream", "a"), await peer.append("stream", "b")];
    assertEqual("`delete`", await log.delete("stream"), true);
    assertEqual("The events", await peer.read("stream"), { ok: true, events: [] });
    for (let n = 0; n < 4; n++) {
      const id = await (n % 2 === 0 ? log : peer).append("stream", "c");
      assertEqual("An old ID was used again", old.includes(id), false);
    }
    for (const id of old) assertEqual("The events", await log.read("stream", id), CANNOT_RESUME);
  },
  async "an ID from the caller is used, and appending it again changes nothing"([log, peer]) {
    assertEqual("The ID", await log.append("stream", "a", { id: "mine" }), "mine");
    const second = await log.append("stream", "b");
    assertEqual("The ID", await peer.append("stream", "retried", { id: "mine" }), "mine");
    assertEqual("The ID", await log.append("stream", "retried", { id: second }), second);
    const events = [
      { id: "mine", event: "a" },
      { id: second, event: "b" },
    ];
    assertEqual("The events", await log.read("stream"), { ok: true, events });
    const after = await log.read("stream", "mine");
    assertEqual("The events after the ID", after, { ok: true, events: events.slice(1) });
  },
  async "an ID that several nodes append at the same time is kept once"([log, peer]) {
    const appends = times(25, (n) => [log, peer].map((node) => appendAs(node, `id-${n}`)));
    const ids = await Promise.all(appends.flat());
    assertEqual("The number of different IDs", new Set(ids).size, 25);
    const seen = await log.read("stream");
    const kept = seen.ok ? seen.events.map(({ id }) => id) : [];
    assertEqual("The IDs", kept.toSorted(), times(25, (n) => `id-${n}`).toSorted());
    assertEqual("The events on another node", await peer.read("stream"), seen);
  },
  async "an ID that looks like a generated one does not prevent later appends"([log]) {
    const first = await log.append("stream", "a");
    const guesses = [
      first.replace(/(?<!\d)\d+$/, (end) => String(Number(end) + 1)),
      `${first}0`,
      "9".repeat(30),
    ];
    for (const id of guesses) await log.append("stream", "guess", { id });
    const ids = [await log.append("stream", "b"), await log.append("stream", "c")];
    const seen = await log.read("stream");
    const kept = seen.ok ? seen.events.map(({ id }) => id) : [];
    assertEqual("The IDs", kept, [first, ...new Set(guesses.filter((id) => id !== first)), ...ids]);
  },
});

/** Cases for event logs, except those about limits. */
export const EVENT_LOG_CASES: readonly Case[] = [...READ_CASES, ...ID_CASES];

/** Appends an event on one node, with an ID that another node uses too. */
function appendAs(log: EventLog, id: string): Promise<string> {
  return log.append("stream", `event of ${id}`, { id });
}

/** Appends random events to two streams and reads them from every position. */
async function runResumption(
  [log, peer]: readonly [EventLog, EventLog],
  random: Random,
  prefix: string,
): Promise<void> {
  const model = new Map<string, LoggedEvent[]>([
    [`${prefix}a`, []],
    [`${prefix}b`, []],
  ]);
  for (let count = random.integer(0, 30); count > 0; count--) {
    const stream = prefix + random.pick(["a", "b"]);
    const event = random.text(10);
    model.get(stream)?.push({ id: await log.append(stream, event), event });
  }
  const page = random.integer(1, 5);
  for (const [stream, events] of model) {
    assertEqual("The events", await peer.read(stream), { ok: true, events });
    for (const [index, { id }] of events.entries()) {
      const after = events.slice(index + 1);
      assertEqual("The events after an ID", await peer.read(stream, id), { ok: true, events: after });
      const limited = { ok: true, events: after.slice(0, page) };
      assertEqual(`${page} events after an ID`, await peer.read(stream, id, page), limited);
    }
    assertEqual(`The events in pages of ${page}`, await readInPages(peer, stream, page), events);
  }
}

async function readInPages(log: EventLog, stream: string, page: number): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  // A correct log needs far fewer reads.
  for (let reads = 0; reads < 100; reads++) {
    const read = await log.read(stream, events.at(-1)?.id, page);
    if (!read.ok || read.events.length === 0) return events;
    events.push(...read.events);
  }
  throw new Error("Reading in pages does not end.");
}
