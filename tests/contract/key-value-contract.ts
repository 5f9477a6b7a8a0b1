import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KeyValueStore } from "tenon/stores";
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

/** Runs the contract that every key-value store must pass, regardless of its engine. */
export function describeKeyValueContract(
  name: string,
  create: () => Promise<StoreHarness<KeyValueStore>>,
  { runs = 100 }: ContractOptions = {},
): void {
  const open = () => openHarness(create);
  const { ttl, within, rest } = LIFETIME;

  describe(`${name} keeps values`, () => {
    test("an unknown key returns no entry", async () => {
      const { store } = await open();
      expect(await store.get("new")).toBeUndefined();
      expect(await store.delete("new")).toBe(false);
      expect(await store.touch("new", ttl)).toBe(false);
    });

    test.each(TRICKY_TEXTS.map((text) => [JSON.stringify(text.slice(0, 30)), text]))(
      "the text %s is returned unchanged, also in a different process",
      async (_label, text) => {
        const { store, peer } = await open();
        await store.set("key", text);
        expect((await store.get("key"))?.value).toBe(text);
        expect((await peer.get("key"))?.value).toBe(text);
      },
    );

    test("similar or unusual keys stay separate", async () => {
      const { store } = await open();
      for (const key of TRICKY_NAMES) await store.set(key, `of ${key}`);
      for (const key of TRICKY_NAMES) expect((await store.get(key))?.value).toBe(`of ${key}`);
    });

    test.each(BAD_NAMES.map((key) => [key.length, key] as const))(
      "a key with %d characters is rejected",
      async (_length, key) => {
        const { store } = await open();
        await expect(store.get(key)).rejects.toThrow(RangeError);
        await expect(store.set(key, "")).rejects.toThrow(RangeError);
        await expect(store.compareAndSet(key, null, { value: "" })).rejects.toThrow(RangeError);
        await expect(store.delete(key)).rejects.toThrow(RangeError);
        await expect(store.touch(key, ttl)).rejects.toThrow(RangeError);
      },
    );

    test("a deleted entry is absent, and can be deleted only once", async () => {
      const { store, peer } = await open();
      await store.set("key", "a");
      expect(await peer.delete("key")).toBe(true);
      expect(await store.get("key")).toBeUndefined();
      expect(await store.delete("key")).toBe(false);
    });
  });

  describe(`${name} compares and sets`, () => {
    test("a version changes only on a write, even if the value stays the same", async () => {
      const { store } = await open();
      const versions = new Set<string | undefined>();
      for (let write = 0; write < 5; write++) {
        await store.set("key", "same");
        versions.add((await store.get("key"))?.version);
        await store.touch("key", ttl);
        versions.add((await store.get("key"))?.version);
      }
      expect(versions.size).toBe(5);
    });

    test("null writes only if the key is absent", async () => {
      const { store } = await open();
      expect(await store.compareAndSet("key", null, { value: "first" })).toBe(true);
      expect(await store.compareAndSet("key", null, { value: "second" })).toBe(false);
      expect((await store.get("key"))?.value).toBe("first");
    });

    test("a version can be replaced once, and only if it is current", async () => {
      const { store } = await open();
      expect(await store.compareAndSet("key", "1", { value: "nothing is there" })).toBe(false);
      await store.set("key", "a");
      const version = (await store.get("key"))?.version ?? "";
      expect(await store.compareAndSet("key", `${version}0`, { value: "x" })).toBe(false);
      expect(await store.compareAndSet("key", version, { value: "b" })).toBe(true);
      expect(await store.compareAndSet("key", version, { value: "c" })).toBe(false);
      expect((await store.get("key"))?.value).toBe("b");
    });

    test("a version is not reused after its entry is deleted and created again", async () => {
      const { store } = await open();
      await store.set("key", "a");
      const version = (await store.get("key"))?.version ?? "";
      await store.delete("key");
      await store.set("key", "a");
      expect(await store.compareAndSet("key", version, { value: "b" })).toBe(false);
    });

    test("a failed comparison changes neither the value nor the lifetime", async () => {
      const { store, advance } = await open();
      await store.set("key", "a", { ttlMs: ttl });
      const before = await store.get("key");
      expect(await store.compareAndSet("key", null, { value: "b" })).toBe(false);
      expect(await store.get("key")).toEqual(before);
      await advance(ttl + within);
      expect(await store.get("key")).toBeUndefined();
    });

    test("of multiple writers with the same version, exactly one succeeds", async () => {
      const { store, peer } = await open();
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 2, max: 20 }), fc.boolean(), async (writers, exists) => {
          const key = `contended ${round++}`;
          if (exists) await store.set(key, "before");
          const version = (await store.get(key))?.version ?? null;
          const wins = await Promise.all(
            Array.from({ length: writers }, (_, writer) =>
              (writer % 2 === 0 ? store : peer).compareAndSet(key, version, { value: `writer ${writer}` }),
            ),
          );
          expect(wins.filter(Boolean)).toHaveLength(1);
          expect((await store.get(key))?.value).toBe(`writer ${wins.indexOf(true)}`);
        }),
        { numRuns: runs },
      );
    });

    test("no increment is lost when concurrent writers retry", async () => {
      const { store, peer } = await open();
      const increment = async (view: KeyValueStore): Promise<void> => {
        for (;;) {
          const entry = await view.get("sum");
          const next = String(Number(entry?.value ?? 0) + 1);
          if (await view.compareAndSet("sum", entry?.version ?? null, { value: next })) return;
        }
      };
      await Promise.all(Array.from({ length: 30 }, (_, index) => increment(index % 2 === 0 ? store : peer)));
      expect((await store.get("sum"))?.value).toBe("30");
    });

    test("any sequence of operations behaves as on a map", async () => {
      const key = fc.constantFrom("a", "b", "c");
      const step = fc.oneof(
        fc.record({ kind: fc.constant("set" as const), key, value: fc.string() }),
        fc.record({ kind: fc.constant("delete" as const), key }),
        fc.record({ kind: fc.constant("swap" as const), key, value: fc.string(), stale: fc.boolean() }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          const { store, close } = await create();
          const model = new Map<string, string>();
          for (const step of steps) {
            const entry = await store.get(step.key);
            expect(entry?.value).toBe(model.get(step.key));
            if (step.kind === "delete") {
              expect(await store.delete(step.key)).toBe(model.delete(step.key));
              continue;
            }
            if (step.kind === "set") await store.set(step.key, step.value);
            else {
              const version = step.stale ? "stale" : (entry?.version ?? null);
              expect(await store.compareAndSet(step.key, version, { value: step.value })).toBe(!step.stale);
              if (step.stale) continue;
            }
            model.set(step.key, step.value);
          }
          await close();
        }),
        { numRuns: runs },
      );
    });
  });

  describe(`${name} expires values`, () => {
    test("an entry expires after its lifetime, and every operation treats it as absent", async () => {
      const { store, advance } = await open();
      for (const key of ["read", "deleted", "touched", "swapped"]) await store.set(key, "a", { ttlMs: ttl });
      const version = (await store.get("swapped"))?.version ?? "";
      await advance(within);
      expect((await store.get("read"))?.value).toBe("a");
      await advance(rest);
      expect(await store.get("read")).toBeUndefined();
      expect(await store.delete("deleted")).toBe(false);
      expect(await store.touch("touched", ttl)).toBe(false);
      expect(await store.compareAndSet("swapped", version, { value: "b" })).toBe(false);
      expect(await store.compareAndSet("swapped", null, { value: "b" })).toBe(true);
    });

    test("a touch extends the lifetime, but a read does not", async () => {
      const { store, advance } = await open();
      await store.set("read", "a", { ttlMs: ttl });
      await store.set("touched", "a", { ttlMs: ttl });
      await advance(within);
      await store.get("read");
      expect(await store.touch("touched", ttl)).toBe(true);
      await advance(rest);
      expect(await store.get("read")).toBeUndefined();
      expect((await store.get("touched"))?.value).toBe("a");
      await advance(rest);
      expect(await store.get("touched")).toBeUndefined();
    });

    test("a touch shortens a long lifetime and limits an unlimited one", async () => {
      const { store, advance } = await open();
      await store.set("long", "a", { ttlMs: 60_000 });
      await store.set("endless", "a");
      await store.touch("long", ttl);
      await store.touch("endless", ttl);
      await advance(within + rest);
      expect(await store.get("long")).toBeUndefined();
      expect(await store.get("endless")).toBeUndefined();
    });

    test("a write replaces the lifetime, and an entry without a lifetime does not expire", async () => {
      const { store, advance } = await open();
      for (const key of ["set", "swapped", "shortened"]) await store.set(key, "a", { ttlMs: ttl });
      await store.set("set", "b");
      await store.compareAndSet("swapped", (await store.get("swapped"))?.version ?? null, { value: "b" });
      await store.set("shortened", "b", { ttlMs: within });
      await advance(rest);
      expect(await store.get("shortened")).toBeUndefined();
      await advance(within);
      expect((await store.get("set"))?.value).toBe("b");
      expect((await store.get("swapped"))?.value).toBe("b");
    });

    test.each([0, ...BAD_TIMES])("a lifetime of %d is rejected, and nothing changes", async (ttlMs) => {
      const { store } = await open();
      await store.set("key", "a");
      const before = await store.get("key");
      await expect(store.set("key", "b", { ttlMs })).rejects.toThrow(RangeError);
      await expect(store.compareAndSet("key", before?.version ?? "", { value: "b", ttlMs })).rejects.toThrow(
        RangeError,
      );
      await expect(store.touch("key", ttlMs)).rejects.toThrow(RangeError);
      expect(await store.get("key")).toEqual(before);
    });
  });
}
