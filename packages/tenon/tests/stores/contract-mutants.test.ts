import { describe, expect, test } from "vitest";
import {
  type Bus,
  createMemoryKeyValueStore,
  createMemoryStore,
  type EventLog,
  type EventLogLimits,
  type KeyValueStore,
  type RateLimits,
  type SessionRecords,
} from "tenon/stores";
import { createMemoryBus } from "../../src/stores/memory-bus.js";
import { createMemoryEventLog } from "../../src/stores/memory-event-log.js";
import { createMemoryRateLimits } from "../../src/stores/memory-rate-limits.js";
import {
  busContract,
  eventLogContract,
  keyValueContract,
  rateLimitsContract,
  sessionRecordsContract,
} from "../../src/stores/contract/store-contracts.js";
import type { ContractCase } from "../../src/tasks/contract/harness.js";
import type { SessionRecordLimits } from "../../src/stores/contract/session-record-cases.js";
import type { StoreHarness } from "../../src/stores/contract/harness.js";

/** Store with a fault, and a case of the contract that finds it. Other cases may fail as well. */
interface Mutant<Store> {
  readonly breaks: string;
  readonly change: (store: Store) => Partial<Store>;
}

const VALUES: Readonly<Record<string, Mutant<KeyValueStore>>> = {
  "ignores lifetimes": {
    breaks: "an entry expires after its lifetime, and every operation treats it as absent",
    change: (store) => ({ set: (key, value) => store.set(key, value) }),
  },
  "ignores the lifetime of `compareAndSet`": {
    breaks: "an entry that was written with `compareAndSet` expires too",
    change: (store) => ({
      compareAndSet: (key, version, { value }) => store.compareAndSet(key, version, { value }),
    }),
  },
  "extends the lifetime when an entry is read": {
    breaks: "a touch extends the lifetime, but a read does not",
    change: (store) => ({
      async get(key) {
        if (key === "read") await store.touch(key, 400);
        return store.get(key);
      },
    }),
  },
  "does not change the lifetime on `touch`": {
    breaks: "a touch shortens a long lifetime and limits an unlimited one",
    change: (store) => ({ touch: async (key) => (await store.get(key)) !== undefined }),
  },
  "uses versions again after a deletion": {
    breaks: "versions never repeat, even after the entry is deleted and created again",
    change(store) {
      // Counts the writes of each key, and starts again when the key is deleted.
      const counts = new Map<string, number>();
      const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
      return {
        async get(key) {
          const entry = await store.get(key);
          return entry && { value: entry.value, version: String(counts.get(key)) };
        },
        set: (key, value, options) => (count(key), store.set(key, value, options)),
        async compareAndSet(key, expected, replacement) {
          const entry = await store.get(key);
          if ((entry === undefined ? null : String(counts.get(key))) !== expected) return false;
          count(key);
          return store.compareAndSet(key, entry?.version ?? null, replacement);
        },
        delete: (key) => (counts.delete(key), store.delete(key)),
      };
    },
  },
  "compares and writes in two steps": {
    breaks: "of 50 concurrent writers with the same version, exactly one succeeds",
    change: (store) => ({
      async compareAndSet(key, expected, { value, ttlMs }) {
        const current = (await store.get(key))?.version ?? null;
        if (current !== expected) return false;
        await store.set(key, value, ttlMs === undefined ? {} : { ttlMs });
        return true;
      },
    }),
  },
  "confuses keys that differ in case": {
    breaks: "similar or unusual keys stay separate",
    change: (store) => ({
      get: (key) => store.get(key.toLowerCase()),
      set: (key, value, options) => store.set(key.toLowerCase(), value, options),
    }),
  },
  "truncates large values": {
    breaks:
      'the text "aé日🙂aé日🙂aé日🙂aé日🙂aé日🙂aé日🙂…" (500000 characters) is returned unchanged, also on another node',
    change: (store) => ({ set: (key, value, options) => store.set(key, value.slice(0, 200_000), options) }),
  },
};

const MODEL_CASE = "random operations of several owners keep exactly the records that the limits allow";

const SESSIONS: Readonly<Record<string, Mutant<SessionRecords>>> = {
  "ignores the limit of an owner": {
    breaks: "an owner at its limit loses its own record that is closest to its expiry, also on another node",
    change: (store) => ({
      create: (key, { maxPerOwner: _ignored, ...record }) => store.create(key, record),
    }),
  },
  "ignores owners": {
    breaks:
      "at the limit of the store, the owner with the most records loses one, and the others keep theirs",
    change: (store) => ({ create: (key, { owner: _ignored, ...record }) => store.create(key, record) }),
  },
  "limits records without an owner": {
    breaks: "records without an owner count together, and have no limit of their own",
    change: (store) => ({
      create: (key, record) => store.create(key, { owner: "nobody", ...record }),
    }),
  },
  "does not report displaced records": {
    breaks: "a lower limit removes several records",
    change: (store) => ({
      create: async (key, record) => ({ ...(await store.create(key, record)), displaced: [] }),
    }),
  },
  "removes the newest record": {
    breaks: MODEL_CASE,
    change: (store) => ({
      create: (key, { ttlMs = 0, ...record }) =>
        store.create(key, { ...record, ttlMs: 2_000_000_000 - ttlMs }),
    }),
  },
  "replaces an existing record": {
    breaks: "a record is created once, and can be changed like any other",
    change: (store) => ({
      async create(key, record) {
        await store.delete(key);
        return store.create(key, record);
      },
    }),
  },
  "loses the owner of a record that is written": {
    breaks: "a touched or written record is kept longer, and counts once for its owner",
    change: (store) => ({
      async set(key, value, options) {
        await store.delete(key);
        await store.set(key, value, options);
      },
    }),
  },
  "counts deleted records": {
    breaks: "deleted and expired records do not count",
    change: (store) => ({
      async delete(key) {
        const entry = await store.get(key);
        if (entry === undefined) return false;
        await store.set(key, "", { ttlMs: 1_000_000 });
        return true;
      },
    }),
  },
};

const EVENTS: Readonly<Record<string, Mutant<EventLog>>> = {
  "appends an event again": {
    breaks: "an ID from the caller is used, and appending it again changes nothing",
    change(log) {
      const aliases = new Map<string, string>();
      return {
        async append(stream, event, { id } = {}) {
          const kept = await log.append(stream, event);
          if (id !== undefined) aliases.set(kept, id);
          return id ?? kept;
        },
        async read(...args) {
          const read = await log.read(...args);
          if (!read.ok) return read;
          return {
            ok: true,
            events: read.events.map((one) => ({ ...one, id: aliases.get(one.id) ?? one.id })),
          };
        },
      };
    },
  },
  "looks for an ID before it appends, in two steps": {
    breaks: "an ID that several nodes append at the same time is kept once",
    change: (log) => ({
      async append(stream, event, { id } = {}) {
        const read = await log.read(stream);
        if (id === undefined || !read.ok) return log.append(stream, event);
        if (read.events.some((one) => one.event.endsWith(` as ${id}`) || one.id === id)) return id;
        await log.append(stream, `${event} as ${id}`);
        return id;
      },
    }),
  },
  "resumes from the start if the ID is unknown": {
    breaks: "trimming keeps the newest events, and a trimmed ID cannot resume",
    change: (log) => ({
      async read(stream, afterId, limit) {
        const read = await log.read(stream, afterId, limit);
        return read.ok ? read : log.read(stream, undefined, limit);
      },
    }),
  },
  "repeats the event to resume from": {
    breaks: "resuming from any ID returns exactly the events after it, in order",
    change: (log) => ({
      async read(stream, afterId, limit) {
        const [all, read] = [await log.read(stream), await log.read(stream, afterId, limit)];
        const last = all.ok ? all.events.filter(({ id }) => id === afterId) : [];
        return read.ok ? { ok: true, events: [...last, ...read.events] } : read;
      },
    }),
  },
  "accepts an ID of a different stream": {
    breaks: "an ID is valid only in its own stream",
    change(log) {
      const known = new Set<string>();
      return {
        async append(stream, event, options) {
          const id = await log.append(stream, event, options);
          known.add(id);
          return id;
        },
        async read(stream, afterId, limit) {
          const read = await log.read(stream, afterId, limit);
          return read.ok || !known.has(afterId ?? "") ? read : { ok: true, events: [] };
        },
      };
    },
  },
};

const BUSES: Readonly<Record<string, Mutant<Bus>>> = {
  "never calls `onGap`": {
    breaks: "after a lost connection, every listener's `onGap` is called, and later messages arrive",
    change: (bus) => ({ subscribe: (channel, listener) => bus.subscribe(channel, listener) }),
  },
  "calls `onGap` of listeners that have left": {
    breaks: "after a lost connection, every listener's `onGap` is called, and later messages arrive",
    change: (bus) => ({
      async subscribe(channel, listener, options) {
        const stop = await bus.subscribe(channel, listener);
        // A second subscription keeps `onGap`.
        await bus.subscribe(`${channel} gaps`, () => undefined, options);
        return stop;
      },
    }),
  },
  "delivers inside `publish`": {
    breaks: "listeners are never called inside `publish`",
    change(bus) {
      const listeners = new Map<string, ((message: string) => unknown)[]>();
      return {
        async publish(channel, message) {
          for (const listener of listeners.get(channel) ?? []) void listener(message);
          await bus.publish(channel, "");
        },
        async subscribe(channel, listener) {
          listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
          return async () => undefined;
        },
      };
    },
  },
  "delivers the newest message first": {
    breaks: "messages from one publisher arrive in order",
    change(bus) {
      let waiting: (() => unknown)[] = [];
      return {
        async publish(channel, message) {
          waiting.push(() => bus.publish(channel, message));
          await new Promise((resolve) => setTimeout(resolve, 1));
          const all = waiting.toReversed();
          waiting = [];
          for (const publish of all) await publish();
        },
      };
    },
  },
  "delivers after the end of a subscription": {
    breaks: "a listener gets nothing after it has unsubscribed, and the others continue",
    change: (bus) => ({
      async subscribe(channel, listener, options) {
        await bus.subscribe(channel, listener, options);
        return async () => undefined;
      },
    }),
  },
  "splits channel names": {
    breaks: "similar or unusual channel names stay separate",
    change: (bus) => ({
      publish: (channel, message) => bus.publish(channel.split("\n")[0] || "empty", message),
      subscribe: (channel, ...rest) => bus.subscribe(channel.split("\n")[0] || "empty", ...rest),
    }),
  },
};

const LIMITS: Readonly<Record<string, Mutant<RateLimits>>> = {
  "never ends a window": {
    breaks: "a window starts with the first attempt, and ends although attempts continue",
    change: (limits) => ({
      consume: (key, points, { limit, windowMs }) =>
        limits.consume(key, points, { limit, windowMs: windowMs * 1000 }),
    }),
  },
  "starts the window again with each attempt": {
    breaks: "a window starts with the first attempt, and ends although attempts continue",
    change: (limits) => ({
      async consume(key, points, rule) {
        const used = rule.limit - ((await limits.peek(key, rule))?.remaining ?? rule.limit);
        await limits.reset(key);
        if (used > 0) await limits.consume(key, used, rule);
        return limits.consume(key, points, rule);
      },
    }),
  },
  "counts rejected attempts": {
    breaks: "an attempt that costs more than is left is rejected, and a cheaper one is allowed",
    change: (limits) => ({
      async consume(key, points, rule) {
        const outcome = await limits.consume(key, points, rule);
        if (!outcome.allowed && outcome.remaining > 0) await limits.consume(key, outcome.remaining, rule);
        return outcome;
      },
    }),
  },
  "checks and counts in two steps": {
    breaks: "100 concurrent attempts never exceed the limit",
    change(limits) {
      const counts = new Map<string, number>();
      return {
        async consume(key, points, rule) {
          const count = counts.get(key) ?? 0;
          const outcome = await limits.peek(key, rule);
          counts.set(key, count + points);
          const allowed = count + points <= rule.limit;
          return { allowed, remaining: rule.limit - count - points, resetMs: outcome?.resetMs ?? 1 };
        },
      };
    },
  },
  "resets all counters": {
    breaks: "`reset` deletes one counter",
    change(limits) {
      const keys = new Set<string>();
      return {
        consume: (key, ...rest) => (keys.add(key), limits.consume(key, ...rest)),
        reset: async () => void (await Promise.all([...keys].map((key) => limits.reset(key)))),
      };
    },
  },
  "accepts zero points": {
    breaks: "points, a limit, or a window of 0 are rejected",
    change: (limits) => ({
      consume: (key, points, rule) => limits.consume(key, points === 0 ? 1 : points, rule),
    }),
  },
};

/** Memory bus with a connection that can be lost. */
function createInterruptibleBus(): Bus & { interrupt(): void } {
  const bus = createMemoryBus();
  const gaps = new Set<() => void>();
  return {
    publish: (channel, message) => bus.publish(channel, message),
    async subscribe(channel, listener, { onGap } = {}) {
      const stop = await bus.subscribe(channel, listener);
      // A wrapper, so that the same function can be added twice.
      const call = () => onGap?.();
      gaps.add(call);
      return () => (gaps.delete(call), stop());
    },
    interrupt() {
      for (const call of gaps) {
        try {
          call();
        } catch {
          // The error of one listener does not affect the others.
        }
      }
    },
  };
}

type Ports = { readonly now: () => number };

/** Creates a harness with a movable clock for each case, so that the cases can run at the same time. */
function harnessOf<Store extends object, Limits>(
  create: (ports: Ports, limits: Limits) => Store,
  change: (store: Store) => Partial<Store> = () => ({}),
): StoreHarness<Store, Limits> {
  let now = 1_700_000_000_000;
  const ports = { now: () => now };
  return {
    createStore(limits) {
      const store = create(ports, limits);
      return { ...store, ...change(store) };
    },
    createPeer: (store) => store,
    interrupt: (store) => {
      if ("interrupt" in store && typeof store.interrupt === "function") store.interrupt();
    },
    clock: { now: () => now, advance: (ms) => void (now += ms) },
    timeoutMs: 1_000,
    quietMs: 20,
    runs: 30,
  };
}

/** Runs all cases, each with its own harness, and returns the titles of those that fail. */
async function findFailures(casesOf: () => readonly ContractCase[]): Promise<readonly string[]> {
  const outcomes = casesOf().map(async ({ title }, index) => {
    const own = casesOf()[index];
    const failure = await own?.run().catch((error: unknown) => error);
    if (failure === undefined) return [];
    expect(failure).toBeInstanceOf(Error);
    return [title];
  });
  return (await Promise.all(outcomes)).flat();
}

const createValues = (ports: Ports) => createMemoryKeyValueStore({ ports });
const createLog = (ports: Ports, limits: EventLogLimits) => createMemoryEventLog({ ...limits, ports });
const createSessions = (ports: Ports, sessions: SessionRecordLimits) =>
  createMemoryStore({ ports, sessions }).sessions;
const createLimits = (ports: Ports) => createMemoryRateLimits({ ports });

describe("the contracts accept stores without a fault", () => {
  test.each<[string, () => readonly ContractCase[]]>([
    ["key-value store", () => keyValueContract(harnessOf(createValues))],
    ["event log", () => eventLogContract(harnessOf(createLog))],
    ["bus", () => busContract({ ...harnessOf<Bus, object>(createInterruptibleBus), timeoutMs: 30_000 })],
    ["rate limiter", () => rateLimitsContract(harnessOf(createLimits))],
    ["records of sessions", () => sessionRecordsContract(harnessOf(createSessions))],
  ])("%s", async (_name, casesOf) => {
    expect(await findFailures(casesOf)).toEqual([]);
  });
});

describe("the contract finds", () => {
  test.each(Object.entries(VALUES))("a key-value store that %s", async (_name, { breaks, change }) => {
    const failures = await findFailures(() => keyValueContract(harnessOf(createValues, change)));
    expect(failures).toContain(breaks);
  });

  test.each(Object.entries(EVENTS))("an event log that %s", async (_name, { breaks, change }) => {
    const failures = await findFailures(() => eventLogContract(harnessOf(createLog, change)));
    expect(failures).toContain(breaks);
  });

  test.each(Object.entries(BUSES))("a bus that %s", async (_name, { breaks, change }) => {
    const failures = await findFailures(() =>
      busContract(harnessOf<Bus, object>(createInterruptibleBus, change)),
    );
    expect(failures).toContain(breaks);
  });

  test.each(Object.entries(LIMITS))("a rate limiter that %s", async (_name, { breaks, change }) => {
    const failures = await findFailures(() => rateLimitsContract(harnessOf(createLimits, change)));
    expect(failures).toContain(breaks);
  });

  test.each(Object.entries(SESSIONS))("records of sessions that: %s", async (_name, { breaks, change }) => {
    const failures = await findFailures(() => sessionRecordsContract(harnessOf(createSessions, change)));
    expect(failures).toContain(breaks);
  });
});
