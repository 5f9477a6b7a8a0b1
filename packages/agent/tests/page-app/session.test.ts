import { signal } from "@preact/signals";
import type { AgentState } from "@tenon/agent/client";
import { describe, expect, test } from "vitest";
import { createDrafts } from "../../page/state/drafts.js";
import { createSession, type SessionOptions } from "../../page/state/session.js";
import { createTabMemory } from "../../page/state/tab-memory.js";
import { createStorage } from "../support/page-app/samples.js";

describe("what the browser stores", () => {
  test("each conversation has its own draft, and an empty one is removed", () => {
    const store = createStorage();
    const drafts = createDrafts(store);
    drafts.save("a", "one");
    drafts.save(undefined, "two");
    expect([drafts.read("a"), drafts.read(undefined), drafts.read("b")]).toEqual(["one", "two", ""]);
    expect(createDrafts(store).read("a")).toBe("one");
    drafts.save("a", "");
    expect([...store.values.values()]).toEqual(["two"]);
  });

  test("all drafts are removed at once, in the memory and in the storage, and nothing else is", () => {
    const store = createStorage();
    store.setItem("other", "kept");
    createDrafts(store).save("before-reload", "zero");
    const drafts = createDrafts(store);
    drafts.save("a", "one");
    drafts.save(undefined, "two");
    drafts.save("long", "x".repeat(200_000));
    drafts.clear();
    const texts = ["before-reload", "a", undefined, "long"].map((taskId) => drafts.read(taskId));
    expect(texts).toEqual(["", "", "", ""]);
    expect([...store.values]).toEqual([["other", "kept"]]);
  });

  test("a token is stored only when it is kept", () => {
    const store = createStorage();
    const memory = createTabMemory(store, "token");
    expect(memory.read()).toBeUndefined();
    memory.keep("secret");
    expect(createTabMemory(store, "token").read()).toBe("secret");
    memory.forget();
    expect(store.values.size).toBe(0);
  });

  test("a storage that throws only loses what a reload would keep", () => {
    const drafts = createDrafts(createStorage(true));
    drafts.save("a", "text");
    expect([drafts.read("a"), drafts.read("b")]).toEqual(["text", ""]);
    drafts.clear();
    expect(drafts.read("a")).toBe("");
    const memory = createTabMemory(createStorage(true), "token");
    memory.keep("secret");
    memory.forget();
    expect(memory.read()).toBeUndefined();
  });
});

describe("session", () => {
  const CLOSED: AgentState = { connection: "closed", tasks: [], open: new Map() };

  /** Session whose connection and clock the test controls. */
  function setUp(config: Partial<SessionOptions["config"]> = {}, storage = createStorage()) {
    const state = signal(CLOSED);
    const log: string[] = [];
    const timers = new Map<() => void, number>();
    const session = createSession({
      link: {
        state,
        start(token) {
          log.push(`start ${token ?? "without a token"}`);
          state.value = { ...CLOSED, connection: "connecting" };
        },
        stop() {
          log.push("stop");
          state.value = CLOSED;
        },
      },
      config: { needsToken: false, hasUsers: true, ...config },
      storage,
      later: (milliseconds, run) => {
        timers.set(run, milliseconds);
        return () => timers.delete(run);
      },
      onUserLeft: () => void log.push("forget"),
    });
    return {
      session,
      storage,
      log,
      connect: (id?: string) => {
        state.value = {
          ...CLOSED,
          connection: "open",
          ...(id !== undefined && { user: { id, canWrite: true } }),
        };
      },
      become: (connection: AgentState["connection"]) => {
        state.value = { ...state.peek(), connection };
      },
      /** Lets time pass, and returns the delays that have passed. */
      wait: () => {
        const delays = [...timers.values()];
        for (const run of timers.keys()) {
          timers.delete(run);
          run();
        }
        return delays;
      },
      shown: () =>
        session.needsSignIn.value ? "sign-in" : session.isConnecting.value ? "connecting" : "chat",
    };
  }

  test("a visitor whom the server does not know sees that the page connects, and the sign-in after a second", () => {
    const { session, shown, wait, become, log } = setUp();
    expect(shown()).toBe("connecting");
    expect(wait()).toEqual([1_000]);
    expect(shown()).toBe("sign-in");
    become("unauthorized");
    expect([shown(), session.isSignedIn.value]).toEqual(["sign-in", false]);
    session.signIn("secret", false);
    // The server verifies the token, which can take longer.
    expect([shown(), wait()]).toEqual(["connecting", []]);
    become("unauthorized");
    expect([shown(), session.isSignedIn.value]).toEqual(["sign-in", true]);
    expect(log).toEqual(["start without a token", "start secret"]);
  });

  test("a slow server that knows the visitor replaces the sign-in", () => {
    const { shown, wait, connect, become } = setUp();
    wait();
    expect(shown()).toBe("sign-in");
    connect("ada");
    expect(shown()).toBe("chat");
    become("reconnecting");
    expect(shown()).toBe("chat");
  });

  test("a server without users never asks for a token by itself", () => {
    const { shown, wait, connect } = setUp({ hasUsers: false });
    expect([shown(), wait(), shown()]).toEqual(["connecting", [], "connecting"]);
    connect();
    expect(shown()).toBe("chat");
  });

  test("a page that needs a token asks first, and connects at once if the tab has one", () => {
    const first = setUp({ needsToken: true });
    expect([first.shown(), first.log]).toEqual(["sign-in", []]);
    first.session.signIn("secret", true);
    const second = setUp({ needsToken: true }, first.storage);
    expect([second.shown(), second.log]).toEqual(["connecting", ["start secret"]]);
  });

  test("a page with a link to the sign-in uses no token of the tab", () => {
    const storage = createStorage();
    createTabMemory(storage, "token").keep("old");
    expect(setUp({ signInUrl: "/login" }, storage).log).toEqual(["start without a token"]);
  });

  test("a sign-out forgets everything that the user has entered", () => {
    const { session, shown, connect, log, storage, wait } = setUp({ needsToken: true });
    session.signIn("secret", true);
    connect("ada");
    session.signOut();
    expect(log).toEqual(["start secret", "stop", "forget"]);
    expect([shown(), storage.values.size, wait()]).toEqual(["sign-in", 0, []]);
    session.signIn("other", false);
    connect("grace");
    // The page has already forgotten Ada.
    expect(log.slice(3)).toEqual(["start other"]);
  });

  test("a connection as another user forgets the last one and starts again", () => {
    const { connect, become, log, shown } = setUp();
    connect("ada");
    become("reconnecting");
    connect("ada");
    expect(log).toEqual(["start without a token"]);
    become("reconnecting");
    connect("grace");
    expect(log.slice(1)).toEqual(["forget", "start without a token"]);
    expect(shown()).toBe("connecting");
    connect("grace");
    expect(log.length).toBe(3);
    become("reconnecting");
    connect();
    expect(log.slice(3)).toEqual(["forget", "start without a token"]);
  });

  test("another user is noticed after a reload, too", () => {
    const before = setUp();
    before.connect("ada");
    const same = setUp({}, before.storage);
    same.connect("ada");
    expect(same.log).toEqual(["start without a token"]);
    const other = setUp({}, before.storage);
    other.connect("grace");
    expect(other.log.slice(1)).toEqual(["forget", "start without a token"]);
  });
});
