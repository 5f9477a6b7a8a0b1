/**
 * @fileoverview Contract cases for the limits of session records.
 * @module tenon/stores/contract/session-record-cases
 */
import { assertEqual, defineCases } from "../../tasks/contract/checks.js";
import type { SessionRecords } from "../ports.js";
import { assertRangeErrors, type StoreCase } from "./case-context.js";
import { BAD_NAMES, BAD_NUMBERS, times, toLabel, TRICKY_NAMES } from "./samples.js";

/** Limits for the records of sessions. */
export interface SessionRecordLimits {
  /** Maximum number of records of all owners together. */
  readonly maxKeys?: number;
}

type Case = StoreCase<SessionRecords, SessionRecordLimits>;

/** Lifetime in milliseconds that does not end during a case. Longer ones differ by at least one step. */
const TTL = 1_000_000;
const STEP = 100_000;

/** Number of steps in the lifetime of a record, and the limit of its owner. */
type Lifetime = readonly [steps: number, maxPerOwner?: number];

/** Creates a record. Its key starts with its owner. */
function create(store: SessionRecords, key: string, [steps, maxPerOwner = 100]: Lifetime) {
  const limits = { owner: key.slice(0, 2), maxPerOwner, label: `label of ${key}` };
  return store.create(key, { value: key, ttlMs: TTL + steps * STEP, ...limits });
}

/** Returns the labels of records. */
function labels(...keys: readonly string[]): readonly string[] {
  return keys.map((key) => `label of ${key}`);
}

/** Returns the keys that exist, separated by spaces. */
async function listKeys(store: SessionRecords, keys: string): Promise<string> {
  const names = keys.split(" ");
  const entries = await Promise.all(names.map((key) => store.get(key)));
  return names.filter((_, index) => entries[index] !== undefined).join(" ");
}

/** Cases for the limit of one owner. */
const OWNER_CASES = /* @__PURE__ */ defineCases<Case>({
  async "a record is created once, and can be changed like any other"(context) {
    const [store, peer] = await context.openBoth({});
    assertEqual("The first `create`", await create(store, "aa1", [1]), { created: true, displaced: [] });
    assertEqual("The second `create`", await create(peer, "aa1", [2]), { created: false, displaced: [] });
    const entry = await peer.get("aa1");
    assertEqual("The value", entry?.value, "aa1");
    const isSwapped = await peer.compareAndSet("aa1", entry?.version ?? "", { value: "b", ttlMs: TTL });
    assertEqual("`compareAndSet`", isSwapped, true);
    assertEqual("The new value", (await store.get("aa1"))?.value, "b");
    assertEqual("`touch`", await store.touch("aa1", TTL), true);
    assertEqual("`delete`", await store.delete("aa1"), true);
    assertEqual("`create` after `delete`", (await create(store, "aa1", [1])).created, true);
  },
  async "an owner at its limit loses its own record that is closest to its expiry, also on another node"(
    context,
  ) {
    const [store, peer] = await context.openBoth({ maxKeys: 10 });
    await create(store, "bb1", [0]);
    for (const [key, steps] of [
      ["aa1", 3],
      ["aa2", 1],
      ["aa3", 2],
    ] as const)
      await create(store, key, [steps]);
    const full = await create(peer, "aa4", [4, 3]);
    assertEqual("The outcome", full, { created: true, displaced: labels("aa2") });
    assertEqual("The keys", await listKeys(store, "aa1 aa2 aa3 aa4 bb1"), "aa1 aa3 aa4 bb1");
    assertEqual("The next outcome", (await create(store, "aa5", [5, 3])).displaced, labels("aa3"));
  },
  async "a lower limit removes several records"(context) {
    const store = await context.open({});
    for (const steps of [1, 2, 3, 4, 5]) await create(store, `aa${steps}`, [steps]);
    const { displaced } = await create(store, "aa6", [6, 2]);
    assertEqual("The displaced records", displaced, labels("aa1", "aa2", "aa3", "aa4"));
    assertEqual("The keys", await listKeys(store, "aa1 aa4 aa5 aa6"), "aa5 aa6");
  },
  async "a touched or written record is kept longer, and counts once for its owner"(context) {
    const store = await context.open({});
    for (const steps of [1, 2, 3]) await create(store, `aa${steps}`, [steps, 3]);
    await store.touch("aa1", TTL + 5 * STEP);
    const { version = "" } = (await store.get("aa2")) ?? {};
    await store.compareAndSet("aa2", version, { value: "b", ttlMs: TTL + 6 * STEP });
    await store.set("aa3", "b", { ttlMs: TTL + 4 * STEP });
    assertEqual("The first displaced", (await create(store, "aa4", [7, 3])).displaced, labels("aa3"));
    assertEqual("The second displaced", (await create(store, "aa5", [8, 3])).displaced, labels("aa1"));
    assertEqual("The third displaced", (await create(store, "aa6", [9, 3])).displaced, labels("aa2"));
  },
  async "deleted and expired records do not count"(context) {
    const store = await context.open({ maxKeys: 4 });
    const { ttl, within, rest } = context.lifetime;
    const limits = { owner: "aa", maxPerOwner: 2, label: "short" };
    const short = (key: string) => store.create(key, { value: "", ttlMs: ttl, ...limits });
    await short("aa1");
    await short("aa2");
    await store.delete("aa1");
    assertEqual("After a deletion", (await short("aa3")).displaced, []);
    await context.advance(within + rest);
    for (const key of ["aa4", "aa5"]) assertEqual(key, (await create(store, key, [1, 2])).displaced, []);
    for (const key of ["bb1", "cc1"]) assertEqual(key, (await create(store, key, [1, 2])).displaced, []);
    assertEqual("The keys", await listKeys(store, "aa3 aa4 aa5 bb1 cc1"), "aa4 aa5 bb1 cc1");
  },
});

/** Cases for the limit of all owners together. */
const TOTAL_CASES = /* @__PURE__ */ defineCases<Case>({
  async "at the limit of the store, the owner with the most records loses one, and the others keep theirs"(
    context,
  ) {
    const [store, peer] = await context.openBoth({ maxKeys: 4 });
    await create(store, "bb1", [0]);
    for (const steps of [1, 2, 3]) await create(peer, `aa${steps}`, [steps]);
    assertEqual("The first outcome", await create(store, "cc1", [0]), {
      created: true,
      displaced: labels("aa1"),
    });
    assertEqual("The second displaced", (await create(peer, "cc2", [1])).displaced, labels("aa2"));
    // The owner has the most records now, so it replaces its own.
    assertEqual("The third displaced", (await create(store, "cc3", [2])).displaced, labels("cc1"));
    assertEqual("The keys", await listKeys(store, "aa1 aa2 aa3 bb1 cc1 cc2 cc3"), "aa3 bb1 cc2 cc3");
  },
  async "an owner takes no record from others that have as few as itself"(context) {
    const store = await context.open({ maxKeys: 3 });
    for (const key of ["aa1", "bb1"]) await create(store, key, [0]);
    await create(store, "cc1", [9]);
    assertEqual("The displaced", (await create(store, "cc2", [9])).displaced, labels("cc1"));
    assertEqual("The keys", await listKeys(store, "aa1 bb1 cc1 cc2"), "aa1 bb1 cc2");
  },
  async "if every owner has one record, the one that is closest to its expiry makes room for a new owner"(
    context,
  ) {
    const store = await context.open({ maxKeys: 3 });
    for (const [key, steps] of [
      ["aa1", 2],
      ["bb1", 1],
      ["cc1", 3],
    ] as const)
      await create(store, key, [steps]);
    assertEqual("The first displaced", (await create(store, "dd1", [4])).displaced, labels("bb1"));
    await store.touch("aa1", TTL + 9 * STEP);
    assertEqual("The second displaced", (await create(store, "ee1", [5])).displaced, labels("cc1"));
  },
  async "records without an owner count together, and have no limit of their own"(context) {
    const store = await context.open({ maxKeys: 4 });
    const anyone = (key: string, steps: number) =>
      store.create(key, { value: "", ttlMs: TTL + steps * STEP, maxPerOwner: 1, label: `label of ${key}` });
    for (const steps of [1, 2, 3, 4]) await anyone(`${steps}`, steps);
    assertEqual("The keys", await listKeys(store, "1 2 3 4"), "1 2 3 4");
    assertEqual("The first displaced", (await create(store, "aa1", [0])).displaced, labels("1"));
    assertEqual("The second displaced", (await anyone("5", 5)).displaced, labels("2"));
    assertEqual("The keys at the end", await listKeys(store, "1 2 3 4 5 aa1"), "3 4 5 aa1");
  },
  async "the limits hold if several nodes create records at the same time"(context) {
    const nodes = await context.openBoth({ maxKeys: 12 });
    await create(nodes[0], "bb1", [0]);
    const names = times(40, (index) => `aa${index}`);
    const outcomes = await Promise.all(
      names.map((key, index) => create(nodes[index % 2 === 0 ? 0 : 1], key, [index, 5])),
    );
    const displaced = outcomes.flatMap((outcome) => outcome.displaced);
    const kept = (await listKeys(nodes[1], names.join(" "))).split(" ");
    assertEqual("The number of kept records", kept.length, 5);
    assertEqual("Every other record was displaced once", displaced.length, 35);
    assertEqual("No record is missing", new Set([...displaced, ...labels(...kept)]).size, 40);
    assertEqual("The other owner", await listKeys(nodes[0], "bb1"), "bb1");
  },
});

/** Cases for owners, labels, and invalid arguments. */
const ARGUMENT_CASES: readonly Case[] = [
  {
    title:
      "unusual owners and labels stay separate and unchanged, and a record without a label is not reported",
    async run(context) {
      const store = await context.open({});
      for (const [index, name] of TRICKY_NAMES.entries()) {
        const createOne = (number: number, label: object) =>
          store.create(`${index} ${number}`, {
            value: "",
            ttlMs: TTL,
            owner: name,
            maxPerOwner: 1,
            ...label,
          });
        assertEqual("The first record", (await createOne(1, { label: name })).displaced, []);
        assertEqual(toLabel(name), (await createOne(2, {})).displaced, [name]);
        assertEqual("Without a label", (await createOne(3, { label: name })).displaced, []);
      }
    },
  },
  ...BAD_NAMES.map((name): Case => ({
    title: `a key, an owner, or a label with ${name.length} characters is rejected`,
    async run(context) {
      const store = await context.open({});
      await assertRangeErrors({
        key: store.create(name, { value: "" }),
        owner: store.create("key", { value: "", owner: name }),
        label: store.create("key", { value: "", label: name }),
      });
      assertEqual("The entry", await store.get("key"), undefined);
    },
  })),
  ...[0, ...BAD_NUMBERS].map((number): Case => ({
    title: `a lifetime or a limit of ${number} is rejected`,
    async run(context) {
      const store = await context.open({});
      await assertRangeErrors({
        ttlMs: store.create("key", { value: "", ttlMs: number }),
        maxPerOwner: store.create("key", { value: "", owner: "aa", maxPerOwner: number }),
      });
      assertEqual("The entry", await store.get("key"), undefined);
    },
  })),
];

/** Cases for the limits of session records. */
export const SESSION_RECORD_CASES: readonly Case[] = [...OWNER_CASES, ...TOTAL_CASES, ...ARGUMENT_CASES];
