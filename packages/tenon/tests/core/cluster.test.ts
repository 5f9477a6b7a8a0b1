import { describe, expect, test, vi } from "vitest";
import { defineServer } from "../../src/core/define-server.js";
import {
  type Change,
  ChangeFeed,
  type ChangeLink,
  type ChangeListener,
} from "../../src/core/wire/changes.js";
import type { ClusterLink } from "../../src/core/wire/cluster-link.js";
import { Connection, type ConnectionPeers } from "../../src/core/wire/connection.js";
import { replyTo, request } from "../../../../tests/support/requests.js";
import { turn } from "../support/tasks/task-client.js";

const TOOLS: Change = { kind: "tools" };

/** Creates a link that records what it publishes and delivers changes of other nodes on demand. */
const createLink = () => {
  const published: Change[] = [];
  const listeners: ChangeListener[] = [];
  const link: ChangeLink = {
    publish: async (change) => void published.push(change),
    subscribe: (listener) => void listeners.push(listener),
  };
  const deliver = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  return { link, published, deliver };
};

describe("a linked change feed", () => {
  test("publishes its own changes once, and delivers those of other nodes without publishing them", () => {
    const feed = new ChangeFeed();
    const { link, published, deliver } = createLink();
    const seen: Change[] = [];
    feed.subscribe((change) => seen.push(change));
    expect(feed.link(link)).toBe(true);
    void feed.publish(TOOLS);
    expect(seen).toEqual([TOOLS]);
    expect(published).toEqual([TOOLS]);
    deliver({ kind: "prompts" });
    expect(seen).toEqual([TOOLS, { kind: "prompts" }]);
    expect(published).toEqual([TOOLS]);
  });

  test("holds a result back until all changes are stored, also if the last one was rejected at once", async () => {
    const feed = new ChangeFeed();
    let store: () => void = () => undefined;
    const outcomes = [new Promise<void>((resolve) => (store = resolve)), Promise.reject(new Error("full"))];
    const publish = () => outcomes.shift() ?? Promise.resolve();
    feed.link({ publish, subscribe: () => undefined });
    let isHeld = true;
    const held = feed.hold(() => {
      for (let count = 0; count < 2; count++) feed.publish(TOOLS).catch(() => undefined);
      return "result";
    });
    void held.then(() => (isHeld = false));
    await turn();
    expect(isHeld).toBe(true);
    store();
    expect(await held).toBe("result");
  });

  test("keeps its first link", () => {
    const feed = new ChangeFeed();
    const [first, second] = [createLink(), createLink()];
    expect(feed.link(first.link)).toBe(true);
    expect(feed.link(second.link)).toBe(false);
    void feed.publish(TOOLS);
    expect(first.published).toEqual([TOOLS]);
    expect(second.published).toEqual([]);
  });

  test("delivers to the other listeners if one throws", () => {
    const feed = new ChangeFeed();
    const { link, deliver } = createLink();
    feed.link(link);
    const seen = vi.fn();
    feed.subscribe(() => {
      throw new Error("broken listener");
    });
    feed.subscribe(seen);
    deliver(TOOLS);
    expect(seen).toHaveBeenCalledWith(TOOLS);
  });
});

describe("a connection with peers", () => {
  const createPeers = () => {
    const peers = {
      nextQuestionId: vi.fn(() => "tenon-node-1"),
      save: vi.fn<ConnectionPeers["save"]>(async () => undefined),
      cancel: vi.fn<ConnectionPeers["cancel"]>(),
      settle: vi.fn<ConnectionPeers["settle"]>(() => true),
    };
    return { peers, connection: new Connection({ era: "legacy" }, peers) };
  };

  test("is shared, and one without peers is not", () => {
    expect(createPeers().connection.isShared).toBe(true);
    expect(new Connection().isShared).toBe(false);
  });

  test("cancels its own calls, and passes the IDs of others on", () => {
    const { peers, connection } = createPeers();
    const cancel = vi.fn();
    connection.begin(1, cancel);
    expect([connection.isInFlight(1), connection.isInFlight("1")]).toEqual([true, false]);
    connection.cancel(1, "reason");
    expect(cancel).toHaveBeenCalledWith("reason");
    expect(peers.cancel).not.toHaveBeenCalled();
    connection.cancel(2, "reason");
    expect(peers.cancel).toHaveBeenCalledExactlyOnceWith(2);
  });

  test("settles its own requests, and passes other responses on", async () => {
    const { peers, connection } = createPeers();
    const { message, answer } = connection.ask({ method: "ping", params: {} });
    expect(message.id).toBe("tenon-node-1");
    expect(connection.pendingQuestions).toEqual(["tenon-node-1"]);
    const foreign = { jsonrpc: "2.0", id: "tenon-other-1", result: {} } as const;
    expect(connection.settle(foreign)).toBe(true);
    expect(peers.settle).toHaveBeenCalledExactlyOnceWith(foreign);
    expect(connection.settle({ jsonrpc: "2.0", id: "tenon-node-1", result: { done: true } })).toBe(true);
    expect(await answer).toEqual({ done: true });
    expect(connection.pendingQuestions).toEqual([]);
  });

  test("counts changes of its subscriptions", () => {
    const { connection } = createPeers();
    const counts: number[] = [connection.changes];
    const step = (change: () => void) => {
      change();
      counts.push(connection.changes);
    };
    step(() => connection.subscribe("test://a"));
    step(() => connection.unsubscribe("test://b"));
    step(() => connection.unsubscribe("test://a"));
    expect(counts).toEqual([0, 1, 1, 2]);
  });

  test("counts initialize and a new log level as changes", async () => {
    const { connection } = createPeers();
    const server = defineServer({ name: "cluster", version: "1.0.0" }).build();
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    };
    await replyTo(server, request("initialize", params), { connection });
    expect(connection.changes).toBe(1);
    await replyTo(server, request("logging/setLevel", { level: "error" }), { connection });
    expect(connection).toMatchObject({ changes: 2, logLevel: "error" });
  });
});

describe("a server as one of several nodes", () => {
  const createCluster = () => {
    const { link, published, deliver } = createLink();
    const cluster: ClusterLink = { ...link, secrets: async () => ["a".repeat(32)], store: {} };
    return { cluster, published, deliver };
  };

  test("shares its changes and its keys", async () => {
    const [a, b] = [1, 2].map(() => defineServer({ name: "cluster", version: "1.0.0" }).build());
    if (a === undefined || b === undefined) throw new Error("Expected two servers.");
    const [first, second] = [createCluster(), createCluster()];
    a.useCluster(first.cluster);
    b.useCluster(second.cluster);
    void a.notifyListChanged("tools");
    void a.resourceUpdated("test://a");
    expect(first.published).toEqual([TOOLS, { kind: "resource", uri: "test://a" }]);
    const seen: Change[] = [];
    b.onChange((change) => seen.push(change));
    second.deliver(TOOLS);
    expect(seen).toEqual([TOOLS]);
    expect(await b.records.open(await a.records.seal("text", "here"), "here")).toBe("text");
  });

  test("keeps its first link", async () => {
    const server = defineServer({ name: "cluster", version: "1.0.0" }).build();
    const [first, second] = [createCluster(), createCluster()];
    server.useCluster(first.cluster);
    server.useCluster(second.cluster);
    void server.notifyListChanged("tools");
    expect([first.published, second.published]).toEqual([[TOOLS], []]);
  });

  test("shares the link with its views", () => {
    const server = defineServer({ name: "cluster", version: "1.0.0" }).build();
    const view = server.view({ tags: ["public"] });
    const { cluster, published } = createCluster();
    view.useCluster(cluster);
    void server.notifyListChanged("tools");
    expect(published).toEqual([TOOLS]);
  });

  test("keeps the keys in `state.keys`", async () => {
    const state = { keys: ["b".repeat(32)] };
    const server = defineServer({ name: "cluster", version: "1.0.0", state }).build();
    const sealed = await server.records.seal("text", "here");
    server.useCluster(createCluster().cluster);
    expect(await server.records.open(sealed, "here")).toBe("text");
  });

  test("logs failures of its store", () => {
    const log = vi.fn();
    const server = defineServer({ name: "cluster", version: "1.0.0", log }).build();
    const error = new Error("down");
    server.report(error, "sessions");
    expect(log).toHaveBeenCalledExactlyOnceWith({
      level: "error",
      event: "store-failed",
      operation: "sessions",
      name: "cluster",
      error,
    });
  });
});
