import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Owned, OwnerRanking } from "../src/collections/owner-ranking.js";

interface Item extends Owned {
  readonly name: string;
}

let order = 0;
const item = (owner: string, at: number): Item => ({
  owner,
  at,
  name: `${owner}${at}`,
  order: ++order,
  place: 0,
});

describe("the ranking of owners", () => {
  test("finds the record of the owner with the most records that is due first", () => {
    const ranking = new OwnerRanking<Item>();
    for (const one of [item("b", 1), item("a", 5), item("a", 3), item("a", 4)]) ranking.add(one);
    expect(ranking.findVictim("c")?.name).toBe("a3");
    expect(ranking.findVictim("b")?.name).toBe("a3");
    expect(ranking.findVictim("a")?.name).toBe("a3");
    expect(ranking.largest()?.owner).toBe("a");
  });

  test("takes no record from owners that have as few, and finds none if there is none", () => {
    const ranking = new OwnerRanking<Item>();
    expect(ranking.findVictim("a")).toBeUndefined();
    for (const one of [item("a", 1), item("b", 2)]) ranking.add(one);
    expect(ranking.findVictim("b")?.name).toBe("b2");
    expect(ranking.findVictim("c")?.name).toBe("a1");
  });

  test("a search visits the owners from the largest to the smallest, and changes nothing", () => {
    const ranking = new OwnerRanking<Item>();
    for (const [owner, count] of [
      ["a", 1],
      ["b", 3],
      ["c", 2],
    ] as const)
      for (let at = 0; at < count; at++) ranking.add(item(owner, at));
    for (let run = 0; run < 2; run++) {
      const visited: string[] = [];
      const found = ranking.search(({ owner, records }) => {
        visited.push(owner);
        return owner === "a" ? records.first() : "next";
      });
      expect([found?.name, visited]).toEqual(["a0", ["b", "c", "a"]]);
    }
    expect(ranking.search(() => "next")).toBeUndefined();
    expect(ranking.search(() => undefined)).toBeUndefined();
    expect(ranking.largest()?.owner).toBe("b");
  });

  test("is the same as a sorted list after any changes, and forgets owners without records (property)", () => {
    const step = fc.record({
      kind: fc.constantFrom("add", "add", "remove", "move"),
      owner: fc.constantFrom("a", "b", "c"),
      at: fc.nat(50),
      index: fc.nat(100),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const ranking = new OwnerRanking<Item>();
        const items: Item[] = [];
        for (const { kind, owner, at, index } of steps) {
          const known = items[index % Math.max(items.length, 1)];
          if (kind === "add") {
            const added = item(owner, at);
            items.push(added);
            ranking.add(added);
          } else if (known !== undefined && kind === "move") ranking.move(known, at);
          else if (known !== undefined) {
            ranking.remove(known);
            items.splice(items.indexOf(known), 1);
          }
          const sizes = ["a", "b", "c"].map((one) => items.filter((other) => other.owner === one).length);
          expect(["a", "b", "c"].map((one) => ranking.countOf(one))).toEqual(sizes);
          expect(ranking.owners).toBe(sizes.filter((size) => size > 0).length);
          const firstOf = (one: Item) =>
            Math.min(...items.filter((other) => other.owner === one.owner).map((other) => other.at));
          const [first] = items.toSorted(
            (one, other) =>
              ranking.countOf(other.owner) - ranking.countOf(one.owner) || firstOf(one) - firstOf(other),
          );
          const largest = ranking.largest();
          expect(largest?.records.size).toBe(first && ranking.countOf(first.owner));
          expect(largest?.records.first()?.at).toBe(first && firstOf(first));
        }
      }),
    );
  });
});
