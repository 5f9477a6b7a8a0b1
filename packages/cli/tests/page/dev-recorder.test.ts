import { describe, expect, test } from "vitest";
import { Connection } from "tenon/host";
import { LATEST_LEGACY, META, MODERN_REVISIONS } from "tenon/protocol";
import { describeClient, PAGE_HEADER, withoutPageHeader } from "../../src/dev/proxy/call-recorder.js";
import { createDevRecorder, toPageMark } from "../../src/page/bridge/dev-recorder.js";
import { LogFeed } from "../../src/page/feed/log-feed.js";
import { PageFeed } from "../../src/page/feed/page-feed.js";
import type { PageEvent } from "../../src/page/protocol.js";
import { CallStore } from "../../src/page/record/call-store.js";
import { createLaunchToken } from "../../src/page/serve/launch-token.js";

const [MODERN = LATEST_LEGACY] = MODERN_REVISIONS;
const SECRET = createLaunchToken();
const CLIENT = { name: "other", session: "s1", era: "modern", revision: MODERN } as const;
const request = (method = "tools/call", params = {}) => ({ jsonrpc: "2.0", id: 7, method, params }) as const;

function create() {
  const events: PageEvent[] = [];
  const feed = new PageFeed({ calls: () => [] });
  feed.connect((event) => events.push(event));
  const store = new CallStore({ onChange: () => undefined });
  const own = store.start({
    client: { kind: "page", name: "This page" },
    era: "modern",
    revision: MODERN,
    method: "tools/call",
    params: { name: "own" },
    at: performance.timeOrigin + performance.now(),
  });
  const recorder = createDevRecorder({
    store,
    log: new LogFeed(feed),
    secret: SECRET,
    findSent: (key, id) => (key === "1" && id === 7 ? own : undefined),
  });
  return { recorder, store, own, events };
}

describe("the recorder", () => {
  test("adds phases to a call of the page, and does not record it again", () => {
    const { recorder, store, own } = create();
    const headers = { [PAGE_HEADER]: toPageMark(SECRET, "1") };
    const observer = recorder.start({ message: request(), headers, client: CLIENT, size: undefined });
    const now = performance.timeOrigin + performance.now();
    observer?.onEnd({ type: "result", payload: "{}", times: { received: now, replied: now + 1 } });
    expect(store.count).toBe(1);
    expect(own.isRunning).toBe(true);
    expect(own.toSummary().phases.length).toBeGreaterThan(0);
  });

  test.each([
    [
      "requests of the page that are not calls",
      { [PAGE_HEADER]: toPageMark(SECRET, "2") },
      request("tools/list"),
    ],
    [
      "requests that follow the task of a call",
      { [PAGE_HEADER]: toPageMark(SECRET, "1") },
      request("tasks/get"),
    ],
    ["streams", {}, request("subscriptions/listen")],
  ])("does not record %s", (_name, headers, message) => {
    const { recorder, store } = create();
    expect(recorder.start({ message, headers, client: CLIENT, size: undefined })).toBeUndefined();
    expect(store.count).toBe(1);
  });

  test("records a client that claims to be the page as a client, without the mark", () => {
    const { recorder, store } = create();
    recorder.start({
      message: request(),
      headers: { [PAGE_HEADER]: "wrong.1", "x-a": "1" },
      client: CLIENT,
      size: undefined,
    });
    const record = store.records().at(-1);
    expect(record?.toSummary().client.kind).toBe("client");
    expect(record?.wire[0]?.http?.headers).toEqual([["x-a", "1"]]);
  });

  test("records messages, progress, log messages, answers, and the outcome", () => {
    const { recorder, store, events } = create();
    const observer = recorder.start({
      message: request(),
      headers: undefined,
      client: CLIENT,
      size: undefined,
    });
    const record = store.records().at(-1);
    observer?.onMessage(
      { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } },
      "received",
    );
    observer?.onMessage(
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "warning", data: { a: 1 } } },
      "received",
    );
    observer?.onMessage({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: {} }, "received");
    const start = performance.now();
    while (performance.now() - start < 2);
    observer?.onMessage({ jsonrpc: "2.0", id: "q", result: {} }, "sent");
    observer?.onEnd({ type: "result", payload: '{"isError":true,"content":[]}', problem: "no" });
    expect(record?.toSummary()).toMatchObject({
      outcome: "tool-error",
      message: "no",
      progress: { progress: 1 },
    });
    expect(record?.toSummary().phases.map(({ name }) => name)).toContain("user");
    expect(record?.wire.map(({ direction }) => direction)).toEqual([
      "sent",
      "received",
      "received",
      "received",
      "sent",
      "received",
    ]);
    expect(record?.wire[0]?.http).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ entry: { source: "server", level: "warning", text: '{"a":1}' } });
  });

  test("records only the start of a large request and of a very large response", () => {
    const { recorder, store } = create();
    const params = { name: "big", arguments: { text: "x".repeat(3_000_000) } };
    const observer = recorder.start({
      message: request("tools/call", params),
      headers: {},
      client: CLIENT,
      size: 3_000_100,
    });
    observer?.onEnd({ type: "result", payload: JSON.stringify({ text: "y".repeat(9_000_000) }) });
    const record = store.records().at(-1);
    expect(record?.toSummary()).toMatchObject({ name: "big", requestBytes: 3_000_100, isRepeatable: false });
    expect(record?.toSummary().responseBytes).toBeGreaterThan(9_000_000);
    expect(record?.wire.map(({ isCut }) => isCut)).toEqual([true, true]);
    expect(record?.size).toBeLessThan(600_000);
  });

  test.each([
    [{ type: "empty" }, { outcome: "cancelled" }],
    [
      { type: "error", error: "INTERNAL_ERROR", code: -32603, message: "bad" },
      { outcome: "error", message: "bad" },
    ],
    [{ type: "result", payload: '{"content":[]}' }, { outcome: "ok" }],
    [
      { type: "result", payload: '{"resultType":"task","taskId":"t1"}' },
      { outcome: "ok", taskId: "t1" },
    ],
  ] as const)("%j ends a call with %j", (reply, expected) => {
    const { recorder, store } = create();
    recorder.start({ message: request(), headers: {}, client: CLIENT, size: undefined })?.onEnd(reply);
    expect(store.records().at(-1)?.toSummary()).toMatchObject(expected);
  });
});

describe("clients", () => {
  const none = { client: undefined, headers: undefined };
  const info = { name: "me", version: "1" };

  test("declare their name in `initialize`, or in each stateless request", () => {
    const opened = describeClient(request("initialize", { clientInfo: info }), new Connection(), none);
    expect(opened).toEqual({ name: "me", session: undefined, era: "legacy", revision: undefined });
    const _meta = { [META.protocolVersion]: MODERN, [META.clientInfo]: info };
    const headers = { "mcp-session-id": "s" };
    expect(
      describeClient(request("tools/call", { _meta }), new Connection(), { client: undefined, headers }),
    ).toEqual({
      name: "me",
      session: "s",
      era: "modern",
      revision: MODERN,
    });
  });

  test("never pass the page's mark on to the server", () => {
    expect(withoutPageHeader({ [PAGE_HEADER]: "x", a: "1" })).toEqual({ a: "1" });
    expect(withoutPageHeader(undefined)).toBeUndefined();
  });
});
