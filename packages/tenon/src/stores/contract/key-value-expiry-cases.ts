/**
 * @fileoverview Contract cases for the lifetimes of values.
 * @module tenon/stores/contract/key-value-expiry-cases
 */
import { assertEqual } from "../../tasks/contract/checks.js";
import type { KeyValueStore } from "../ports.js";
import { assertRangeErrors, defineNodeCases, type StoreCase } from "./case-context.js";
import { BAD_NUMBERS } from "./samples.js";

type Case = StoreCase<KeyValueStore>;

/** Cases for lifetimes. */
export const KEY_VALUE_EXPIRY_CASES: readonly Case[] = [
  .../* @__PURE__ */ defineNodeCases<KeyValueStore>({
    async "an entry expires after its lifetime, and every operation treats it as absent"(
      [store, peer],
      context,
    ) {
      const { ttl, within, rest } = context.lifetime;
      const set = (key: string) => store.set(key, "a", { ttlMs: ttl });
      await Promise.all(["read", "deleted", "touched", "swapped"].map(set));
      const version = (await store.get("swapped"))?.version ?? "";
      await context.advance(within);
      assertEqual("The value before the end", (await peer.get("read"))?.value, "a");
      await context.advance(rest);
      const swap = (expected: string | null) => store.compareAndSet("swapped", expected, { value: "b" });
      assertEqual("The entry", await store.get("read"), undefined);
      assertEqual("The entry on another node", await peer.get("read"), undefined);
      assertEqual("`delete`", await store.delete("deleted"), false);
      assertEqual("`touch`", await store.touch("touched", ttl), false);
      assertEqual("The write with the version of the expired entry", await swap(version), false);
      assertEqual("The write with null", await swap(null), true);
    },
    async "an entry that was written with `compareAndSet` expires too"([store], context) {
      const { ttl, within, rest } = context.lifetime;
      await store.compareAndSet("key", null, { value: "a", ttlMs: ttl });
      await context.advance(within);
      assertEqual("The value before the end", (await store.get("key"))?.value, "a");
      await context.advance(rest);
      assertEqual("The entry", await store.get("key"), undefined);
    },
    async "a failed comparison changes neither the value nor the lifetime"([store], context) {
      const { ttl, within, rest } = context.lifetime;
      await store.set("key", "a", { ttlMs: ttl });
      const before = await store.get("key");
      for (const expected of [null, "unknown"]) {
        assertEqual("The write", await store.compareAndSet("key", expected, { value: "b" }), false);
      }
      assertEqual("The entry", await store.get("key"), before);
      await context.advance(within + rest);
      assertEqual("The entry after its lifetime", await store.get("key"), undefined);
    },
    async "a touch extends the lifetime, but a read does not"([store, peer], context) {
      const { ttl, within, rest } = context.lifetime;
      await store.set("read", "a", { ttlMs: ttl });
      await store.set("touched", "a", { ttlMs: ttl });
      const before = await store.get("touched");
      await context.advance(within);
      await store.get("read");
      assertEqual("`touch`", await peer.touch("touched", ttl), true);
      await context.advance(rest);
      assertEqual("The entry that was read", await store.get("read"), undefined);
      assertEqual("The entry that was touched", await store.get("touched"), before);
      await context.advance(rest);
      assertEqual("The entry that was touched, after its lifetime", await store.get("touched"), undefined);
    },
    async "a touch shortens a long lifetime and limits an unlimited one"([store], context) {
      const { ttl, within, rest } = context.lifetime;
      await store.set("long", "a", { ttlMs: 600_000 });
      await store.set("endless", "a");
      await store.touch("long", ttl);
      await store.touch("endless", ttl);
      assertEqual("The value before the end", (await store.get("endless"))?.value, "a");
      await context.advance(within + rest);
      assertEqual("The entry with a long lifetime", await store.get("long"), undefined);
      assertEqual("The entry without a lifetime", await store.get("endless"), undefined);
    },
    async "a write replaces the lifetime, and an entry without a lifetime does not expire"([store], context) {
      const { ttl, within, rest } = context.lifetime;
      for (const key of ["set", "swapped", "shortened"]) await store.set(key, "a", { ttlMs: ttl });
      await store.set("set", "b");
      const version = (await store.get("swapped"))?.version ?? null;
      await store.compareAndSet("swapped", version, { value: "b" });
      await store.set("shortened", "b", { ttlMs: within });
      await context.advance(rest);
      assertEqual("The entry with a shorter lifetime", await store.get("shortened"), undefined);
      await context.advance(within);
      assertEqual("The value after `set`", (await store.get("set"))?.value, "b");
      assertEqual("The value after `compareAndSet`", (await store.get("swapped"))?.value, "b");
    },
  }),
  ...[0, ...BAD_NUMBERS].map((ttlMs): Case => ({
    title: `a lifetime of ${ttlMs} is rejected, and nothing changes`,
    async run(context) {
      const store = await context.open({});
      await store.set("key", "a");
      const before = await store.get("key");
      await assertRangeErrors({
        set: store.set("key", "b", { ttlMs }),
        compareAndSet: store.compareAndSet("key", before?.version ?? "", { value: "b", ttlMs }),
        touch: store.touch("key", ttlMs),
      });
      assertEqual("The entry", await store.get("key"), before);
    },
  })),
];
