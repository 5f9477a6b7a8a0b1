/**
 * @fileoverview Contract cases for the values and versions of key-value stores.
 * @module tenon/stores/contract/key-value-cases
 */
import { assertEqual } from "../../tasks/contract/checks.js";
import type { KeyValueStore } from "../ports.js";
import { assertRangeErrors, defineNodeCases, type StoreCase } from "./case-context.js";
import { BAD_NAMES, LARGE_TEXT, type Random, times, toLabel, TRICKY_NAMES, TRICKY_TEXTS } from "./samples.js";

type Case = StoreCase<KeyValueStore>;

const TTL = 60_000;

/** Cases for values. */
const VALUE_CASES: readonly Case[] = [
  .../* @__PURE__ */ defineNodeCases<KeyValueStore>({
    async "an unknown key returns no entry"([store]) {
      assertEqual("The entry", await store.get("new"), undefined);
      assertEqual("`delete`", await store.delete("new"), false);
      assertEqual("`touch`", await store.touch("new", TTL), false);
    },
    async "similar or unusual keys stay separate"([store]) {
      for (const key of TRICKY_NAMES) await store.set(key, `of ${key}`);
      for (const key of TRICKY_NAMES) {
        assertEqual(`The value of ${toLabel(key)}`, (await store.get(key))?.value, `of ${key}`);
      }
      for (const key of TRICKY_NAMES) {
        assertEqual(`\`delete\` of ${toLabel(key)}`, await store.delete(key), true);
        assertEqual(`The value of ${toLabel(key)}`, await store.get(key), undefined);
      }
    },
    async "a deleted entry is absent, and can be deleted only once"([store, peer]) {
      await store.set("key", "a");
      assertEqual("The first `delete`", await peer.delete("key"), true);
      assertEqual("The entry", await store.get("key"), undefined);
      assertEqual("The second `delete`", await store.delete("key"), false);
    },
  }),
  ...[...TRICKY_TEXTS, LARGE_TEXT].map((text): Case => ({
    title: `the text ${toLabel(text)} (${text.length} characters) is returned unchanged, also on another node`,
    async run(context) {
      const [store, peer] = await context.openBoth({});
      await store.set("set", text);
      await store.compareAndSet("swapped", null, { value: text });
      for (const key of ["set", "swapped"]) {
        assertEqual("The value", (await store.get(key))?.value, text);
        assertEqual("The value on another node", (await peer.get(key))?.value, text);
      }
    },
  })),
  ...BAD_NAMES.map((key): Case => ({
    title: `a key with ${key.length} characters is rejected`,
    async run(context) {
      const store = await context.open({});
      await assertRangeErrors({
        get: store.get(key),
        set: store.set(key, ""),
        compareAndSet: store.compareAndSet(key, null, { value: "" }),
        delete: store.delete(key),
        touch: store.touch(key, TTL),
      });
    },
  })),
  {
    title: "the store works again after its connection was lost",
    needs: "interrupt",
    async run(context) {
      const [store, peer] = await context.openBoth({});
      await store.set("key", "a");
      await context.interrupt(store);
      await context.untilDone("a read succeeds", () => store.get("key"));
      assertEqual("The value", (await store.get("key"))?.value, "a");
      await store.set("key", "b");
      assertEqual("The value on another node", (await peer.get("key"))?.value, "b");
    },
  },
];

/** Cases for versions and `compareAndSet`. */
const VERSION_CASES = /* @__PURE__ */ defineNodeCases<KeyValueStore>({
  async "a version changes only on a write, even if the value stays the same"([store]) {
    const versions = new Set<string | undefined>();
    for (let write = 0; write < 5; write++) {
      await store.set("key", "same");
      versions.add(await versionOf(store));
      await store.touch("key", TTL);
      versions.add(await versionOf(store));
    }
    assertEqual("The number of versions", versions.size, 5);
  },
  async "null writes only if the key is absent"([store]) {
    assertEqual("The first write", await store.compareAndSet("key", null, { value: "first" }), true);
    assertEqual("The second write", await store.compareAndSet("key", null, { value: "second" }), false);
    assertEqual("The value", (await store.get("key"))?.value, "first");
  },
  async "a version can be replaced once, and only if it is current"([store]) {
    const replace = (version: string, value: string) => store.compareAndSet("key", version, { value });
    assertEqual("The write without an entry", await replace("1", "x"), false);
    assertEqual("The entry", await store.get("key"), undefined);
    await store.set("key", "a");
    const version = (await versionOf(store)) ?? "";
    assertEqual("The write with a similar version", await replace(`${version}0`, "x"), false);
    assertEqual("The write with an empty version", await replace("", "x"), false);
    assertEqual("The write with the current version", await replace(version, "b"), true);
    assertEqual("The write with the old version", await replace(version, "c"), false);
    assertEqual("The value", (await store.get("key"))?.value, "b");
  },
  async "versions never repeat, even after the entry is deleted and created again"([store, peer]) {
    const versions = new Set<string | undefined>();
    for (let round = 0; round < 5; round++) {
      const node = round % 2 === 0 ? store : peer;
      if (round % 2 === 0) await node.set("key", "a");
      else await node.compareAndSet("key", null, { value: "a" });
      versions.add(await versionOf(node));
      await node.set("key", "b");
      versions.add(await versionOf(node));
      await node.delete("key");
    }
    assertEqual("The number of versions", versions.size, 10);
    await store.set("key", "a");
    for (const version of versions) {
      const isWritten = await store.compareAndSet("key", version ?? "", { value: "old" });
      assertEqual("The write with an old version", isWritten, false);
    }
  },
  async "of 50 concurrent writers with the same version, exactly one succeeds"(nodes) {
    for (const isNew of [true, false]) await runContenders(nodes, { isNew, writers: 50 });
  },
  async "of any number of concurrent writers with the same version, exactly one succeeds"(nodes, context) {
    await context.repeat((random, run) =>
      runContenders(nodes, {
        key: `contended ${run}`,
        isNew: random.boolean(),
        writers: random.integer(2, 20),
      }),
    );
  },
  async "no increment is lost when concurrent writers retry"([store, peer]) {
    await Promise.all(times(30, (index) => increment(index % 2 === 0 ? store : peer)));
    assertEqual("The sum", (await store.get("sum"))?.value, "30");
  },
  async "any sequence of operations behaves as on a map"(_nodes, context) {
    await context.repeat(async (random) => {
      const nodes = await context.openBoth({});
      const model = new Map<string, string>();
      for (let step = 0; step < 20; step++) await runStep(random.pick(nodes), model, random);
      await context.end();
    });
  },
});

/** Cases for key-value stores, except those about time. */
export const KEY_VALUE_CASES: readonly Case[] = [...VALUE_CASES, ...VERSION_CASES];

async function versionOf(store: KeyValueStore): Promise<string | undefined> {
  return (await store.get("key"))?.version;
}

interface Contest {
  readonly key?: string;
  readonly isNew: boolean;
  readonly writers: number;
}

async function runContenders(
  [store, peer]: readonly [KeyValueStore, KeyValueStore],
  { isNew, writers, key = isNew ? "new" : "old" }: Contest,
): Promise<void> {
  if (!isNew) await store.set(key, "before");
  const version = (await store.get(key))?.version ?? null;
  const wins = await Promise.all(
    times(writers, (writer) =>
      (writer % 2 === 0 ? store : peer).compareAndSet(key, version, { value: `writer ${writer}` }),
    ),
  );
  assertEqual("The number of successful writers", wins.filter(Boolean).length, 1);
  assertEqual("The value", (await peer.get(key))?.value, `writer ${wins.indexOf(true)}`);
}

async function increment(store: KeyValueStore): Promise<void> {
  // In every round, at least one of the writers succeeds.
  for (let round = 0; round < 1_000; round++) {
    const entry = await store.get("sum");
    const value = String(Number(entry?.value ?? 0) + 1);
    if (await store.compareAndSet("sum", entry?.version ?? null, { value })) return;
  }
  throw new Error("`compareAndSet` with the current version does not succeed.");
}

/** Runs one random operation and compares its outcome with that of a map. */
async function runStep(store: KeyValueStore, model: Map<string, string>, random: Random): Promise<void> {
  const key = random.pick(["a", "b", "c"]);
  const value = random.text(10);
  const entry = await store.get(key);
  assertEqual(`The value of "${key}"`, entry?.value, model.get(key));
  const kind = random.pick(["set", "delete", "swap", "stale"]);
  if (kind === "delete") {
    assertEqual(`\`delete\` of "${key}"`, await store.delete(key), model.delete(key));
  } else if (kind === "stale") {
    assertEqual("The write with a wrong version", await store.compareAndSet(key, "stale", { value }), false);
  } else {
    if (kind === "set") await store.set(key, value);
    else {
      const isWritten = await store.compareAndSet(key, entry?.version ?? null, { value });
      assertEqual("The write with the current version", isWritten, true);
    }
    model.set(key, value);
  }
}
