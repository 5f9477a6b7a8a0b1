import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { type ClientCapabilities, LEGACY_REVISIONS, META, type Revision } from "../../src/protocol/index.js";
import { StdioChild } from "../../../../tests/support/stdio-child.js";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const CAPABILITIES: ClientCapabilities = { elicitation: { form: {} }, sampling: {} };
const ADA = { action: "accept", content: { name: "Ada" } };
const HAIKU = { role: "assistant", content: { type: "text", text: "old pond" }, model: "basho" };
const text = (value: string) => ({ content: [{ type: "text", text: value }] });

const started: StdioChild[] = [];

function start(revision: Revision, capabilities?: ClientCapabilities): StdioChild {
  const child = new StdioChild(revision, capabilities);
  started.push(child);
  return child;
}

async function startLegacy(capabilities: ClientCapabilities = {}, revision: Revision = LEGACY) {
  const child = start(revision);
  await child.initialize(capabilities);
  return child;
}

afterEach(() => {
  const children = started.splice(0);
  for (const child of children) child.process.kill();
  // In every test, standard output contains only messages of the revision.
  expect(children.flatMap(({ problems }) => problems)).toEqual([]);
});

describe("T48: a server in a separate process, over real pipes", () => {
  test.each(LEGACY_REVISIONS)("T49: a session in %s", async (revision) => {
    const child = start(revision);
    const opened = await child.initialize();
    expect(opened.result).toMatchObject({ protocolVersion: revision, serverInfo: { name: "fixture" } });
    const list = await child.request("tools/list");
    expect(list.result?.["tools"]).toContainEqual(expect.objectContaining({ name: "echo" }));
    expect((await child.call("echo", { text: "漢字 😀\n\u2028" })).result).toEqual(text("漢字 😀\n\u2028"));
    expect((await child.request("ping")).result).toEqual({});
    expect((await child.request("no/such")).error).toEqual({
      code: -32601,
      message: "Method not found: no/such",
    });
    expect(await child.end()).toMatchObject({ code: 0, signal: null });
  });

  test("T49: requests in the stateless revision", async () => {
    const child = start(MODERN, {});
    const discovered = await child.request("server/discover");
    expect(discovered.result).toMatchObject({ resultType: "complete", supportedVersions: [MODERN] });
    expect((await child.request("tools/list")).result).toMatchObject({ resultType: "complete" });
    expect((await child.call("echo", { text: "é" })).result).toMatchObject(text("é"));
    child.send({ id: "bare", method: "tools/list" });
    expect((await child.replyTo("bare")).error?.code).toBe(-32602);
    expect((await child.request("initialize")).error?.code).toBe(-32601);
    expect(await child.end()).toMatchObject({ code: 0 });
  });

  test("initialize after server/discover starts a legacy session", async () => {
    const child = start(LEGACY);
    const _meta = { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} };
    child.send({ id: "probe", method: "server/discover", params: { _meta } });
    expect((await child.replyTo("probe")).result).toMatchObject({ supportedVersions: [MODERN] });
    expect((await child.initialize()).result).toMatchObject({ protocolVersion: LEGACY });
    expect((await child.call("echo", { text: "é" })).result).toEqual(text("é"));
  });

  test("handles single bytes, CRLF, invalid frames, and a last frame without a newline", async () => {
    const child = await startLegacy();
    const echo = (id: string, value: string) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "echo", arguments: { text: value } },
      });
    for (const byte of Buffer.from(`${echo("slow", "é漢😀")}\r\n`)) {
      child.sendRaw(Uint8Array.of(byte));
      if (byte > 0x7f) await wait(1);
    }
    expect((await child.replyTo("slow")).result).toEqual(text("é漢😀"));
    child.sendRaw(`\r\n\n"${"x".repeat(300_000)}"\n`);
    child.sendRaw(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    child.sendRaw(
      `${echo("many-1", "1")}\n${echo("many-2", "2")}\n${echo("many-3", "3")}\n${echo("last", "4")}`,
    );
    expect(await child.end()).toMatchObject({ code: 0 });
    expect(child.messages.slice(2)).toMatchObject([
      { id: null, error: { code: -32600, message: "The message is too large (limit: 100000 bytes)." } },
      { id: null, error: { code: -32700, message: "The message is not valid UTF-8." } },
      { id: "many-1" },
      { id: "many-2" },
      { id: "many-3" },
      { id: "last", result: text("4") },
    ]);
  });

  test("server logs are written to stderr, not to the client", async () => {
    const child = await startLegacy();
    expect((await child.call("fail")).result).toMatchObject({ isError: true });
    await child.end();
    expect(child.errors).toMatch(/^ready\nlog: [\w-]+\n/);
    expect(JSON.stringify(child.messages)).not.toContain("not for the client");
  });
});

describe("before the reply", () => {
  test.each([
    ["legacy", LEGACY, undefined],
    ["modern", MODERN, {}],
  ] as const)("progress and log messages arrive in order: %s", async (_, revision, capabilities) => {
    const child = start(revision, capabilities);
    if (capabilities === undefined) await child.initialize();
    const _meta = { progressToken: "p", ...(capabilities && { [META.logLevel]: "debug" }) };
    await child.call("work", {}, { _meta });
    const progress = { method: "notifications/progress" };
    expect(child.messages.slice(-4)).toMatchObject([
      { ...progress, params: { progressToken: "p", progress: 1, total: 2, message: "half" } },
      { method: "notifications/message", params: { level: "info", data: { step: "✓ half-way" } } },
      { ...progress, params: { progressToken: "p", progress: 2, total: 2 } },
      { result: text("worked") },
    ]);
  });

  test.each([
    ["greet", "elicitation/create", ADA, "Hello, Ada"],
    ["greet", "elicitation/create", { action: "decline" }, "You said decline"],
    ["poem", "sampling/createMessage", HAIKU, JSON.stringify(HAIKU.content)],
  ])(
    "a legacy client receives a request from the server: %s, %s, %j",
    async (tool, method, answer, expected) => {
      const child = await startLegacy(CAPABILITIES);
      const id = child.start("tools/call", { name: tool });
      const question = await child.heard(method);
      expect((await child.request("ping")).result).toEqual({});
      child.send({ id: question.id, result: answer });
      expect((await child.replyTo(id)).result).toEqual(text(expected));
    },
  );

  test.each([
    ["greet", "name", ADA, "Hello, Ada"],
    ["poem", "poem", HAIKU, JSON.stringify(HAIKU.content)],
  ])("a stateless client receives input_required: %s", async (tool, key, answer, expected) => {
    const child = start(MODERN, CAPABILITIES);
    const asked = await child.call(tool);
    expect(asked.result).toMatchObject({ resultType: "input_required", inputRequests: { [key]: {} } });
    const requestState = asked.result?.["requestState"];
    const reply = await child.call(tool, {}, { requestState, inputResponses: { [key]: answer } });
    expect(reply.result).toMatchObject({ resultType: "complete", ...text(expected) });
  });

  test.each([
    ["legacy", LEGACY, undefined],
    ["modern", MODERN, {}],
  ] as const)("a cancelled call is aborted and not answered: %s", async (_, revision, capabilities) => {
    const child = start(revision, capabilities);
    if (capabilities === undefined) await child.initialize();
    const id = child.start("tools/call", { name: "wait" });
    await child.noted("wait: began");
    child.send({ method: "notifications/cancelled", params: { requestId: id, reason: "changed my mind" } });
    await child.noted("wait: aborted");
    await child.call("echo", { text: "still here" });
    expect(child.messages.some((message) => message.id === id)).toBe(false);
  });
});

describe("server-initiated notifications", () => {
  test("a legacy client is notified of a changed tool list", async () => {
    const child = await startLegacy();
    await child.call("grow", { name: "sprout" });
    await child.heard("notifications/tools/list_changed");
    expect((await child.call("sprout")).result).toEqual(text("sprout"));
  });

  test("a stateless client is notified in its subscription", async () => {
    const child = start(MODERN, {});
    const id = child.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await child.heard("notifications/subscriptions/acknowledged");
    await child.call("grow", { name: "sprout" });
    const { params } = await child.heard("notifications/tools/list_changed");
    expect(params).toMatchObject({ _meta: { [META.subscriptionId]: id } });
    expect(await child.end()).toMatchObject({ code: 0 });
  });
});

describe("the process's exit", () => {
  test("follows the end of its input and cancels calls instead of waiting for them", async () => {
    const child = await startLegacy(CAPABILITIES);
    child.start("tools/call", { name: "wait" });
    child.start("tools/call", { name: "greet" });
    await child.noted("wait: began");
    await child.heard("elicitation/create");
    const { code, signal, milliseconds } = await child.end();
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(milliseconds).toBeLessThan(30_000);
    expect(child.errors).toMatch(/wait: aborted\nclosed\n$/);
    expect(child.messages).toHaveLength(2);
  });

  test("follows without errors when the client closes its output", async () => {
    const child = await startLegacy();
    child.start("tools/call", { name: "wait" });
    await child.noted("wait: began");
    child.process.stdout.destroy();
    child.start("tools/list");
    expect(await child.exited()).toMatchObject({ code: 0, signal: null });
    expect(child.errors).toMatch(/transport: EPIPE\n/);
    expect(child.errors).toMatch(/wait: aborted\nclosed\n$/);
  });
});

describe("a client that does not read", () => {
  test("is not read from until it reads, and then receives every reply", async () => {
    const child = await startLegacy();
    const { stdin, stdout } = child.process;
    stdout.pause();
    const padding = "x".repeat(2_000);
    const ids = Array.from({ length: 3_000 }, () =>
      child.start("tools/call", { name: "echo", arguments: { text: padding } }),
    );
    for (let before = -1; before !== stdin.writableLength; await wait(300)) before = stdin.writableLength;
    // The rest of six million bytes is still in the pipe: the server has not read it into memory.
    expect(stdin.writableLength).toBeGreaterThan(3_000_000);
    stdout.resume();
    await child.replyTo(ids.at(-1) ?? 0);
    expect(child.messages.slice(1).map(({ id }) => id)).toEqual(ids);
    expect(await child.end()).toMatchObject({ code: 0 });
  });
});
