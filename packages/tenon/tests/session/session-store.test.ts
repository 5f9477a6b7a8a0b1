import { describe, expect, test } from "vitest";
import { Connection } from "../../src/core/wire/connection.js";
import { systemPorts } from "@tenon/internal/ports";
import { Session } from "../../src/session/session.js";
import type { SessionBounds } from "../../src/session/session-limits.js";
import { SessionStore } from "../../src/session/session-store.js";
import { isReachedLimit } from "../../src/session/sessions.js";
import { createClock } from "../../../../tests/support/http-clock.js";

const quiet = () => ({ write: () => undefined, prime: () => {}, end: () => {} });

const setUp = (bounds?: SessionBounds) => {
  const clock = createClock();
  const store = new SessionStore({ ...systemPorts, ...clock.ports }, bounds);
  const open = (principal?: string) => {
    const session = store.open(principal);
    if (isReachedLimit(session)) throw new Error(`${session.option} is reached.`);
    return session;
  };
  return { clock, store, open };
};

describe("a session", () => {
  const newSession = () =>
    new Session({ id: "id", principal: "ada", connection: new Connection({ era: "legacy" }) });

  test("is idle without calls and listeners", () => {
    const session = newSession();
    expect(session.isIdle).toBe(true);
    session.connection.begin(1, () => {});
    expect(session.isIdle).toBe(false);
    session.connection.end(1);
    const sink = quiet();
    session.main.attach(sink);
    expect(session.isIdle).toBe(false);
    session.main.detach(sink);
    expect(session.isIdle).toBe(true);
  });

  test("numbers its streams and finds them again", () => {
    const session = newSession();
    const [first, second] = [session.openStream(), session.openStream()];
    expect([first.id, second.id]).toEqual(["1", "2"]);
    expect(session.resume("1_0", quiet())).toBe(first);
    expect(session.resume("2_0", quiet())).toBe(second);
    expect(session.resume("main_0", quiet())).toBe(session.main);
    expect(session.resume("3_0", quiet())).toBeUndefined();
    expect(session.resume("1_5", quiet())).toBeUndefined();
    expect(session.resume("nonsense", quiet())).toBeUndefined();
  });

  test("keeps every open stream and 16 ended ones", () => {
    const session = newSession();
    const open = session.openStream();
    for (let count = 0; count < 40; count++) session.openStream().end();
    session.openStream();
    expect(session.resume(open.nextId, quiet())).toBe(open);
    const found = Array.from({ length: 40 }, (_, index) => session.resume(`${index + 2}_0`, quiet()));
    expect(found.filter((stream) => stream !== undefined)).toHaveLength(16);
    expect(found.at(-1)).toBeDefined();
  });

  test("ends once: tasks run, calls are cancelled, client requests fail, streams end", async () => {
    const session = newSession();
    const log: string[] = [];
    session.onClose(() => log.push("task"));
    session.connection.begin(1, () => log.push("cancelled"));
    const { answer } = session.connection.ask({ method: "roots/list", params: {} });
    session.main.attach({ write: () => undefined, end: () => log.push("main ended") });
    session.openStream().attach({ write: () => undefined, end: () => log.push("stream ended") });
    expect(session.isClosed).toBe(false);
    session.close();
    session.close();
    expect(session.isClosed).toBe(true);
    expect(log).toEqual(["task", "cancelled", "main ended", "stream ended"]);
    await expect(answer).rejects.toThrow("The connection was closed.");
    expect(session.resume("1_0", quiet())).toBeUndefined();
  });
});

describe("the session store", () => {
  test("finds a session only for its principal", () => {
    const { store, open } = setUp();
    const hers = open("ada");
    const nobodys = open();
    expect(store.find(hers.id, "ada")).toBe(hers);
    for (const other of ["eve", "", "ADA", undefined]) expect(store.find(hers.id, other)).toBeUndefined();
    expect(store.find(nobodys.id, undefined)).toBe(nobodys);
    expect(store.find(nobodys.id, "ada")).toBeUndefined();
    expect(store.find("__proto__", undefined)).toBeUndefined();
  });

  test("creates IDs from 24 random bytes", () => {
    const asked: number[] = [];
    const store = new SessionStore({
      ...systemPorts,
      randomBytes: (length) => {
        asked.push(length);
        return new Uint8Array(length).fill(0xfb);
      },
    });
    expect(store.open(undefined)).toHaveProperty("id", "-_v7".repeat(8));
    expect(asked).toEqual([24]);
    store.close();
  });

  test("ends sessions after the idle time, and not earlier", () => {
    const { clock, store, open } = setUp({ idleMs: 1_000 });
    const session = open();
    clock.advance(999);
    expect(store.size).toBe(1);
    clock.advance(251);
    expect(store.size).toBe(0);
    expect(session.isClosed).toBe(true);
    expect(clock.timers).toBe(0);
  });

  test("counts idle time from the last use, and a lookup by a different principal does not count as use", () => {
    const { clock, store, open } = setUp({ idleMs: 1_000 });
    const [used, looked] = [open("ada"), open("bob")];
    for (let count = 0; count < 10; count++) {
      clock.advance(200);
      store.find(used.id, "ada");
      store.find(looked.id, "eve");
    }
    expect([used.isClosed, looked.isClosed]).toEqual([false, true]);
  });

  test("counts idle time from the end of calls and streams", () => {
    const { clock, store, open } = setUp({ idleMs: 1_000 });
    const session = open();
    session.connection.begin(1, () => {});
    clock.advance(10_000);
    expect(store.size).toBe(1);
    session.connection.end(1);
    clock.advance(700);
    expect(store.size).toBe(1);
    clock.advance(700);
    expect(store.size).toBe(0);
  });

  test("an idle time of zero ends a session at the next sweep", () => {
    const { clock, store, open } = setUp({ idleMs: 0 });
    const busy = open();
    busy.connection.begin(1, () => {});
    open();
    clock.advance(5);
    expect(store.size).toBe(1);
    expect(busy.isClosed).toBe(false);
  });

  test("at the limit, the least recently used idle session is closed", () => {
    const { store, open } = setUp({ maxSessions: 3 });
    const [first, second, third] = [open(), open(), open()];
    first.connection.begin(1, () => {});
    store.find(second.id, undefined);
    const fourth = open();
    expect([first, second, third, fourth].map(({ isClosed }) => isClosed)).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(store.size).toBe(3);
    for (const session of [second, fourth]) session.main.attach(quiet());
    expect(store.open(undefined)).toEqual({ option: "maxSessions", limit: 3 });
    expect(store.size).toBe(3);
  });

  test("never holds more sessions than its limit", () => {
    const { store } = setUp({ maxSessions: 10 });
    for (let count = 0; count < 500; count++) store.open(undefined);
    expect(store.size).toBe(10);
  });

  test("ends one session or all of them, including their timers", () => {
    const { clock, store, open } = setUp();
    const [one, other] = [open(), open()];
    store.end(one.id);
    store.end(one.id);
    store.end("unknown");
    expect([one.isClosed, other.isClosed, store.size]).toEqual([true, false, 1]);
    store.close();
    expect([other.isClosed, store.size, clock.timers]).toEqual([true, 0, 0]);
  });
});
