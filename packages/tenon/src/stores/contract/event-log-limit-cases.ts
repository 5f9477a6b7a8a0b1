/**
 * @fileoverview Contract cases for the limits and lifetimes of event streams.
 * @module tenon/stores/contract/event-log-limit-cases
 */
import { assertEqual, defineCases } from "../../tasks/contract/checks.js";
import { utf8Length } from "../arguments.js";
import type { EventLogLimits } from "../event-limits.js";
import type { EventLog, LoggedEvent } from "../ports.js";
import { assertStoreError, type StoreCase } from "./case-context.js";
import { CANNOT_RESUME } from "./event-log-cases.js";
import { type Random, times } from "./samples.js";

/** Cases for limits. */
export const EVENT_LOG_LIMIT_CASES = /* @__PURE__ */ defineCases<StoreCase<EventLog, EventLogLimits>>({
  async "trimming keeps the newest events, and a trimmed ID cannot resume"(context) {
    await context.repeat(async (random) => {
      const limits = { maxEvents: random.integer(1, 8), maxBytes: random.integer(8, 40) };
      const [log, peer] = await context.openBoth(limits);
      await runTrimming([log, peer], limits, random);
      await context.end();
    });
  },
  async "an ID from the caller is trimmed like any other"(context) {
    const [log, peer] = await context.openBoth({ maxEvents: 3 });
    const events = times(6, (n) => ({ id: `mine-${n}`, event: String(n) }));
    for (const { id, event } of events) await log.append("stream", event, { id });
    assertEqual("The events", await peer.read("stream"), { ok: true, events: events.slice(3) });
    for (const [index, { id }] of events.entries()) {
      const expected = index < 3 ? CANNOT_RESUME : { ok: true, events: events.slice(index + 1) };
      assertEqual(`The events after "${id}"`, await peer.read("stream", id), expected);
    }
    assertEqual("The ID of a retry", await peer.append("stream", "retried", { id: "mine-4" }), "mine-4");
    assertEqual("The events after a retry", await log.read("stream"), {
      ok: true,
      events: events.slice(3),
    });
  },
  async "bytes are counted in UTF-8"(context) {
    const log = await context.open({ maxBytes: 6 });
    await log.append("stream", "ää");
    const id = await log.append("stream", "日");
    assertEqual("The events", await log.read("stream"), { ok: true, events: [{ id, event: "日" }] });
  },
  async "an event above the limit is rejected, and the stream stays unchanged"(context) {
    const log = await context.open({ maxBytes: 10 });
    const id = await log.append("stream", "0123456789");
    await assertStoreError("The larger event", "too-large", log.append("stream", "0123456789x"));
    await assertStoreError("The larger event", "too-large", log.append("new", "0123456789x"));
    const events = [{ id, event: "0123456789" }];
    assertEqual("The events", await log.read("stream"), { ok: true, events });
    assertEqual("`delete` of the new stream", await log.delete("new"), false);
  },
  async "a stream expires as a whole after its last append"(context) {
    const { ttl, within, rest } = context.lifetime;
    const [log, peer] = await context.openBoth({ ttlMs: ttl });
    const first = await log.append("stream", "a");
    await log.append("read", "a");
    await context.advance(within);
    const second = await log.append("stream", "b");
    await log.read("read");
    await context.advance(rest);
    assertEqual("The stream that was read", await log.read("read"), { ok: true, events: [] });
    const events = [{ id: second, event: "b" }];
    assertEqual("The other stream", await peer.read("stream", first), { ok: true, events });
    await context.advance(rest);
    for (const id of [first, second]) {
      assertEqual("The expired stream", await peer.read("stream", id), CANNOT_RESUME);
    }
    assertEqual("`delete` of the expired stream", await log.delete("stream"), false);
  },
});

/** Appends random events and compares the stream with a list that is trimmed in the same way. */
async function runTrimming(
  [log, peer]: readonly [EventLog, EventLog],
  limits: { readonly maxEvents: number; readonly maxBytes: number },
  random: Random,
): Promise<void> {
  const kept: LoggedEvent[] = [];
  const trimmed: string[] = [];
  for (let count = random.integer(0, 30); count > 0; count--) {
    const event = random.text(12);
    if (utf8Length(event) > limits.maxBytes) {
      await assertStoreError("The larger event", "too-large", log.append("stream", event));
      continue;
    }
    kept.push({ id: await log.append("stream", event), event });
    while (kept.length > limits.maxEvents || sumOf(kept) > limits.maxBytes) {
      trimmed.push(kept.shift()?.id ?? "");
    }
  }
  assertEqual("The events", await peer.read("stream"), { ok: true, events: kept });
  for (const id of trimmed) {
    assertEqual("The events after a trimmed ID", await peer.read("stream", id), CANNOT_RESUME);
  }
  for (const [index, { id }] of kept.entries()) {
    const expected = { ok: true, events: kept.slice(index + 1) };
    assertEqual("The events after an ID", await peer.read("stream", id), expected);
  }
}

function sumOf(events: readonly LoggedEvent[]): number {
  return events.reduce((sum, { event }) => sum + utf8Length(event), 0);
}
