import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemPorts } from "@tenon/internal/ports";
import { ownerOf } from "@tenon/internal/collections/fair-share";
import type { Session } from "../../src/session/session.js";
import type { SessionBounds } from "../../src/session/session-limits.js";
import { SessionStore } from "../../src/session/session-store.js";
import { isReachedLimit } from "../../src/session/sessions.js";
import { createClock } from "../../../../tests/support/http-clock.js";

const setUp = (bounds: SessionBounds) => {
  const clock = createClock();
  const store = new SessionStore({ ...systemPorts, ...clock.ports }, bounds);
  const open = (principal?: string, address?: string): Session => {
    const session = store.open(principal, address);
    if (isReachedLimit(session)) throw new Error(`${session.option} is reached.`);
    return session;
  };
  const openMany = (principal: string | undefined, count: number) =>
    Array.from({ length: count }, () => open(principal));
  return { clock, store, open, openMany };
};
const use = (session: Session) => session.connection.begin(1, () => undefined);
const openOnes = (sessions: readonly Session[]) => sessions.filter(({ isClosed }) => !isClosed).length;

describe("a principal at its own limit", () => {
  test("replaces its own session that was idle longest, and none of others", () => {
    const { store, open, openMany } = setUp({ maxSessions: 10, maxSessionsPerPrincipal: 3 });
    const others = [open("bob"), open()];
    const [first, second, third] = openMany("ada", 3);
    if (first !== undefined) store.find(first.id, "ada");
    if (second !== undefined) use(second);
    open("ada");
    expect([first?.isClosed, second?.isClosed, third?.isClosed]).toEqual([false, false, true]);
    openMany("ada", 50);
    expect(openOnes(others)).toBe(2);
    expect(store.size).toBe(5);
  });

  test("is rejected if all of its sessions are in use, while others can open sessions", () => {
    const { store, open, openMany } = setUp({ maxSessionsPerPrincipal: 2 });
    openMany("ada", 2).forEach(use);
    expect(store.open("ada")).toEqual({ option: "maxSessionsPerPrincipal", limit: 2 });
    expect(open("bob").isClosed).toBe(false);
  });

  test("has a limit of 1,000 by default, so it cannot use all of the 10,000 places", () => {
    const { store, open, openMany } = setUp({});
    openMany("ada", 1_000).forEach(use);
    expect(store.open("ada")).toEqual({ option: "maxSessionsPerPrincipal", limit: 1_000 });
    expect(openOnes([open("bob"), ...openMany(undefined, 2_000)])).toBe(2_001);
  });

  test("can be an address, which is never the same as a principal", () => {
    const { store, open } = setUp({ maxSessionsPerPrincipal: 1 });
    const [principal, address, other] = [
      open("1.2.3.4"),
      open(undefined, "1.2.3.4"),
      open(undefined, "::/64"),
    ];
    const unknown = [open(), open()];
    open(undefined, "1.2.3.4");
    expect([principal, address, other, ...unknown].map(({ isClosed }) => isClosed)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
    expect(store.size).toBe(5);
  });
});

describe("at the limit for all sessions", () => {
  test("the principal with the most sessions loses its longest idle one, even if others were idle longer", () => {
    const { open, openMany } = setUp({ maxSessions: 6 });
    const bobs = [open("bob")];
    const adas = openMany("ada", 5);
    const carols = openMany("carol", 3);
    expect(adas.map(({ isClosed }) => isClosed)).toEqual([true, true, true, false, false]);
    expect([openOnes(bobs), openOnes(carols)]).toEqual([1, 3]);
  });

  test("a principal replaces its own session if nobody has more", () => {
    const { open, openMany } = setUp({ maxSessions: 4 });
    const [bob, carol] = [open("bob"), open("carol")];
    const adas = openMany("ada", 40);
    expect([bob.isClosed, carol.isClosed, openOnes(adas)]).toEqual([false, false, 2]);
    use(adas.at(-1) as Session);
    use(adas.at(-2) as Session);
    expect(() => open("ada")).toThrow("maxSessions is reached.");
    expect(() => open("bob")).not.toThrow();
  });

  test("the longest idle session makes room if every principal has one", () => {
    const { store, open } = setUp({ maxSessions: 3 });
    const [a, b, c] = [open("a"), open("b"), open("c")];
    store.find(a.id, "a");
    use(b);
    open("d");
    expect([a.isClosed, b.isClosed, c.isClosed]).toEqual([false, false, true]);
  });

  test("a principal without a session gets one even if another uses all places, but no more than one", () => {
    const { open, openMany } = setUp({ maxSessions: 4 });
    const adas = openMany("ada", 4);
    adas.forEach(use);
    const bob = open("bob");
    expect(adas.map(({ isClosed }) => isClosed)).toEqual([true, false, false, false]);
    use(bob);
    expect(() => open("bob")).toThrow("maxSessions is reached.");
    expect(() => open("ada")).toThrow("maxSessions is reached.");
    for (const principal of ["carol", "dave"]) use(open(principal));
    // Everybody has one session, and all of them are in use.
    expect(() => open("eve")).toThrow("maxSessions is reached.");
    expect([openOnes(adas), bob.isClosed]).toEqual([1, false]);
  });

  test("callers without a principal count together, and do not lock out principals", () => {
    const { store, open, openMany } = setUp({ maxSessions: 5 });
    const ada = open("ada");
    const unknown = openMany(undefined, 30);
    expect([ada.isClosed, openOnes(unknown), store.size]).toEqual([false, 4, 5]);
    for (const session of [ada, ...unknown]) if (!session.isClosed) use(session);
    expect(store.open(undefined)).toEqual({ option: "maxSessions", limit: 5 });
    expect(open("bob").isClosed).toBe(false);
    expect([ada.isClosed, openOnes(unknown)]).toEqual([false, 3]);
  });

  test("a place is found after many sessions in use, within a bounded number of checks per attempt", () => {
    const { open, openMany, store } = setUp({ maxSessions: 2_000, maxSessionsPerPrincipal: 2_000 });
    const adas = openMany("ada", 2_000);
    adas.slice(0, 1_500).forEach(use);
    let attempts = 0;
    while (isReachedLimit(store.open("ada"))) attempts++;
    expect(attempts).toBeLessThanOrEqual(6);
    expect(adas[1_500]?.isClosed).toBe(true);
    expect(open("bob").isClosed).toBe(false);
  });
});

type Step =
  | { readonly kind: "open"; readonly owner: number }
  | { readonly kind: "find" | "end" | "use" | "free"; readonly index: number }
  | { readonly kind: "wait"; readonly ms: number };

/** Simple model of the rules, with a list of all sessions in the order of their last use. */
class Model {
  sessions: { readonly session: Session; readonly owner: string; inUse: boolean }[] = [];

  constructor(
    readonly max: number,
    readonly maxPerOwner: number,
  ) {}

  of(owner: string) {
    return this.sessions.filter((one) => one.owner === owner);
  }

  /** Returns the session that is closed, `undefined` if there is room, or `"full"`. */
  findVictim(owner: string) {
    const own = this.of(owner);
    const idle = (list: readonly (typeof this.sessions)[number][]) => list.find(({ inUse }) => !inUse);
    if (owner !== "anonymous" && own.length >= this.maxPerOwner) return idle(own) ?? "full";
    if (this.sessions.length < this.max) return undefined;
    const sizeOf = (one: { readonly owner: string }) => this.of(one.owner).length;
    const larger = this.sessions.filter((one) => !one.inUse && sizeOf(one) > own.length);
    const victim = larger.find((one) => sizeOf(one) === Math.max(...larger.map(sizeOf))) ?? idle(own);
    return victim ?? "full";
  }
}

test("the open sessions are always the ones that the rules keep, and no owner without sessions is remembered", () => {
  const index = fc.nat(20);
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("open" as const), owner: fc.nat(3) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("find", "use", "free"), index }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("end" as const), index }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(400) }) },
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 4 }),
      (steps, max, maxPerOwner) => {
        const bounds = { maxSessions: max, maxSessionsPerPrincipal: maxPerOwner, idleMs: 1_000 };
        const { clock, store } = setUp(bounds);
        const model = new Model(max, maxPerOwner);
        const touch = (one: Model["sessions"][number]) => {
          model.sessions = [...model.sessions.filter((other) => other !== one), one];
        };
        for (const one of steps) {
          model.sessions = model.sessions.filter(({ session }) => !session.isClosed);
          if (one.kind === "wait") clock.advance(one.ms);
          else if (one.kind === "open") openInBoth(one.owner);
          else {
            const known = model.sessions[one.index % Math.max(model.sessions.length, 1)];
            if (known === undefined) continue;
            const { session } = known;
            if (one.kind === "find") {
              store.find(session.id, session.principal);
              touch(known);
            } else if (one.kind === "end") store.end(session.id);
            else if (one.kind === "use" && !known.inUse) {
              store.find(session.id, session.principal);
              touch(known);
              use(session);
              known.inUse = true;
            } else if (one.kind === "free" && known.inUse) {
              session.connection.end(1);
              store.find(session.id, session.principal);
              touch(known);
              known.inUse = false;
            }
          }
        }
        store.close();
        expect(store.size).toBe(0);

        function openInBoth(number: number) {
          const principal = number === 0 ? undefined : `p${number}`;
          const owner = ownerOf(principal, undefined);
          const victim = model.findVictim(owner);
          const before = model.sessions;
          const opened = store.open(principal);
          if (victim === "full" && isReachedLimit(opened)) {
            expect(before.every(({ session }) => !session.isClosed)).toBe(true);
            return;
          }
          if (isReachedLimit(opened)) throw new Error("The model has room.");
          const closed = before.filter(({ session }) => session.isClosed);
          if (victim === "full") {
            // Only a principal without sessions closes a session in use: one of the owner with the most.
            expect(model.of(owner)).toHaveLength(0);
            const sizes = before.map((other) => model.of(other.owner).length);
            expect(closed.map((other) => model.of(other.owner).length)).toEqual([Math.max(...sizes)]);
            expect(Math.max(...sizes)).toBeGreaterThan(1);
          } else expect(closed).toEqual(victim === undefined ? [] : [victim]);
          model.sessions = before.filter(({ session }) => !session.isClosed);
          model.sessions.push({ session: opened, owner, inUse: false });
          expect(store.size).toBe(model.sessions.length);
        }
      },
    ),
    { numRuns: 500 },
  );
});
