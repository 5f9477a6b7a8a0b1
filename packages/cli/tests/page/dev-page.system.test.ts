import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "tenon/client";
import { type Era, LATEST_LEGACY, MODERN_REVISIONS, type Revision } from "tenon/protocol";
import type { Phase } from "../../src/page/protocol.js";
import { startDev, textOf as replyText } from "../support/dev/dev-run.js";
import { PageClient } from "../support/page/page-client.js";
import { textOf } from "../support/page/inspected.js";

const [MODERN = LATEST_LEGACY] = MODERN_REVISIONS;
const REVISIONS: readonly (readonly [Era, Revision])[] = [
  ["legacy", LATEST_LEGACY],
  ["modern", MODERN],
];

const SERVER = (more = "") => `
import { setTimeout as sleep } from "node:timers/promises";
import { defineServer, form } from "tenon";
import { z } from "zod";
console.log("loaded");
export default defineServer({ name: "shop", version: "1.0.0" })
  .tool("add", {
    description: "Adds two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    handler: async ({ a, b }) => { await sleep(20); return String(a + b); },
  })
  .tool("headers", { description: "Lists", handler: () => { console.error("called"); return "ok"; } })
  .tool("boom", { description: "Throws", handler: () => { throw new Error("kaboom"); } })
  .tool("order", {
    description: "Asks",
    handler: async (_args, call) => {
      const answer = await call.input("where", form({ message: "Where to?", schema: z.object({ street: z.string() }) }));
      return answer.action === "accept" ? answer.content.street : answer.action;
    },
  })
  ${more};
`;

async function openDev(files: Readonly<Record<string, string>>, args?: readonly string[]) {
  const run = startDev(files, args === undefined ? {} : { args });
  const started = await run.program.next("started");
  const page = await PageClient.open(started.page ?? "");
  return { ...run, page, url: started.url ?? "", started };
}

async function connect(url: string, revision: Revision) {
  const client = await createClient(url, {
    revision,
    clientInfo: { name: "other", version: "1" },
    input: () => ({ action: "accept", content: { street: "Elm" } }),
  });
  onTestFinished(() => client.close());
  return client;
}

const namesOf = (phases: readonly Phase[]) => phases.map(({ name }) => name);

/** Phases are in order, and within the duration of the call. */
function expectInOrder(phases: readonly Phase[], ms = 0): void {
  for (const { start, end } of phases) {
    expect(start).toBeGreaterThanOrEqual(0);
    expect(end).toBeGreaterThan(start);
    expect(end).toBeLessThanOrEqual(ms + 0.01);
  }
}

describe("the page of `tenon dev`", () => {
  test("is announced first, and connects to the server in both eras", async () => {
    const { page, started, url } = await openDev({ "server.ts": SERVER() });
    expect(started.page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/_dev\?token=[\w-]{43}$/);
    expect(page.last("launch")?.launch).toMatchObject({ mode: "dev", target: "server.ts", endpoint: url });
    expect((await page.connectedTwice()).revisions).toEqual({ legacy: LATEST_LEGACY, modern: MODERN });
    expect((await page.server()).tools.map(({ definition }) => definition["name"])).toEqual([
      "add",
      "headers",
      "boom",
      "order",
    ]);
    expect(page.last("build")?.build).toMatchObject({ status: "ok", problems: [] });
    // The endpoint and other paths are not affected.
    expect((await fetch(new URL("/other", url))).status).toBe(404);
  });

  describe.each(REVISIONS)("in the %s era", (era, revision) => {
    test("shows the calls of other clients with their phases", async () => {
      const { page, url } = await openDev({ "server.ts": SERVER() });
      const client = await connect(url, revision);
      await client.callTool("add", { a: 1, b: 2 });
      const call = await page.callOf("add");
      expect(call).toMatchObject({
        client: { kind: "client", name: "other" },
        era,
        revision,
        method: "tools/call",
        outcome: "ok",
      });
      expect(namesOf(call.phases)).toEqual(
        expect.arrayContaining(["queue", "validate", "handler", "serialize"]),
      );
      expectInOrder(call.phases, call.ms);
      const handler = call.phases.find(({ name }) => name === "handler");
      expect((handler?.end ?? 0) - (handler?.start ?? 0)).toBeGreaterThanOrEqual(15);
      const { wire, params, result, checks } = await page.detail(call.id);
      expect(params).toMatchObject({ name: "add", arguments: { a: 1, b: 2 } });
      expect(textOf(result)).toBe("3");
      expect(new Map(wire[0]?.http?.headers).get("content-type")).toBe("application/json");
      expect(wire.map(({ direction }) => direction)).toEqual(["sent", "received"]);
      expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
    });

    test("shows a call of the page once, with the phases of the process", async () => {
      const { page } = await openDev({ "server.ts": SERVER() });
      await page.connectedTwice();
      const { id } = await page.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era });
      const call = await page.call(id);
      expect(call.client.kind).toBe("page");
      expect(new Set(namesOf(call.phases))).toEqual(
        new Set(["network", "queue", "validate", "handler", "serialize"]),
      );
      expectInOrder(call.phases, call.ms);
      const ids = new Set(
        page
          .all("call")
          .filter((event) => event.call.name === "add")
          .map((event) => event.call.id),
      );
      expect([...ids]).toEqual([id]);
      const { wire } = await page.detail(id);
      expect(JSON.stringify(wire)).not.toContain("x-tenon-page");
    });

    test("shows the time that the user of a client takes", async () => {
      const { page, url } = await openDev({ "server.ts": SERVER() });
      const client = await connect(url, revision);
      await client.callTool("order");
      const call = await page.callOf("order", ({ outcome }) => outcome === "ok");
      expectInOrder(call.phases, call.ms);
      // In the modern era, each round is a call of its own.
      expect(namesOf(call.phases).includes("user")).toBe(era === "legacy");
    });
  });

  test("hides the mark of its requests, and credentials of clients", async () => {
    const { page, url, program } = await openDev({
      "server.ts": `
        import { defineServer } from "tenon";
        export default defineServer({ name: "a", version: "1" })
          .use((operation, next) => next())
          .tool("hi", { description: "Says hi", handler: () => "hi" });`,
    });
    await page.connectedTwice();
    const client = await createClient(url, {
      headers: { authorization: "Bearer s3cret", cookie: "a=s3cret" },
    });
    onTestFinished(() => client.close());
    await client.callTool("hi");
    const call = await page.callOf("hi");
    const detail = await page.detail(call.id);
    expect(JSON.stringify([detail, page.events])).not.toContain("s3cret");
    expect(new Map(detail.wire[0]?.http?.headers).get("authorization")).toBe("Bearer [REDACTED]");
    expect(program.describe()).not.toContain("s3cret");
  });

  test("shows reloads, output, failures, and errors in the code", async () => {
    const { page, save, url } = await openDev({ "server.ts": SERVER() });
    await page.connectedTwice();
    await page.server();
    const client = await connect(url, MODERN);
    await client.callTool("headers");
    const log = () => page.all("log").map(({ entry }) => [entry.source, entry.text]);
    await vi.waitFor(() =>
      expect(log()).toEqual(
        expect.arrayContaining([
          ["output", "loaded"],
          ["output", "called"],
        ]),
      ),
    );
    expect(await client.callTool("boom")).toMatchObject({ isError: true });
    expect(await page.callOf("boom")).toMatchObject({ outcome: "tool-error", message: "kaboom" });
    await vi.waitFor(() =>
      expect(JSON.stringify(log())).toContain("tools/call boom failed: kaboom (server.ts:"),
    );

    await save(SERVER('.tool("new", { description: "Is new", handler: () => "new" })'));
    const state = await page.server(({ tools }) => tools.length === 5);
    expect(state.changes).toEqual([{ sign: "+", noun: "tool", name: "new" }]);
    expect(page.last("build")?.build).toMatchObject({ status: "ok", ms: expect.any(Number) });

    await save("this is not code", "build-failed");
    const failed = await page.until(() => {
      const build = page.last("build")?.build;
      return build?.status === "failed" ? build : undefined;
    }, "a failed build");
    expect(failed.problems[0]).toMatchObject({
      place: expect.stringMatching(/^server\.ts:1:/),
      frame: expect.any(String),
    });
    // The last good version still serves the page.
    const { id } = await page.command("call", { tool: "new", arguments: {}, era: "modern" });
    expect(await page.call(id)).toMatchObject({ outcome: "ok" });
  });

  test("opens before the code can be loaded, and connects when it can", async () => {
    const run = startDev({ "server.ts": "this is not code" });
    const failed = await run.program.next("build-failed");
    const page = await PageClient.open(failed.page ?? "");
    expect(page.last("build")?.build.status).toBe("failed");
    await run.save(SERVER(), "started");
    expect((await page.server()).name).toBe("shop");
    expect((await page.connected()).status).toBe("ready");
  });

  test("shows a crash, and that the server is back", async () => {
    const { page, url } = await openDev({
      "server.ts": SERVER('.tool("crash", { description: "Exits", handler: () => process.exit(7) })'),
    });
    await page.connectedTwice();
    const client = await connect(url, MODERN);
    await client.callTool("crash").catch(() => undefined);
    await page.until(() => page.all("build").find(({ build }) => build.status === "crashed"), "a crash");
    await page.until(() => (page.last("build")?.build.status === "ok" ? true : undefined), "the restart");
  });

  test("shows sessions, streams, processes, and memory", async () => {
    const { page, url } = await openDev({ "server.ts": SERVER() });
    await page.connectedTwice();
    await connect(url, LATEST_LEGACY);
    const { sessions, gauges } = await page.until(() => {
      const { activity } = page.last("activity") ?? {};
      const hasClient = activity?.sessions.some(({ client }) => client === "other") === true;
      return hasClient && activity?.gauges.some(({ id }) => id === "memory") ? activity : undefined;
    }, "activity");
    expect(sessions.find(({ client }) => client === "other")).toMatchObject({
      kind: "session",
      era: "legacy",
      calls: 0,
      subscriptions: 0,
    });
    const value = (id: string) => gauges.find((gauge) => gauge.id === id)?.value ?? -1;
    // The page itself listens to changes with a stateless request.
    expect(sessions.find(({ era }) => era === "modern")).toMatchObject({ kind: "stream", calls: 0 });
    expect(value("memory")).toBeGreaterThan(1_000_000);
    expect(value("processes")).toBe(1);
    expect(value("sessions")).toBeGreaterThanOrEqual(2);
    expect(value("waiting")).toBe(0);
  });

  test("counts the tokens of each view of a module", async () => {
    const { page } = await openDev({
      "server.ts": `
        import { defineServer } from "tenon";
        export default defineServer({ name: "a", version: "1" })
          .tool("read", { description: "Reads", tags: ["safe"], handler: () => "hi" })
          .tool("write", { description: "Writes a lot", scopes: ["write"], handler: () => "hi" });`,
    });
    const { views, tools } = await page.server(
      (state) => state.views.length > 1 && state.views[0]?.tokens !== undefined,
    );
    expect(views.map(({ title, toolCount }) => [title, toolCount])).toEqual([
      ["as listed", 2],
      ["as listed, no scopes", 1],
      ["as listed, scope write", 2],
      ["as listed, tag safe", 1],
    ]);
    expect(tools.every(({ tokens = 0 }) => tokens > 0)).toBe(true);
  });

  test("serves a module of the official SDK with the phases that can be measured", async () => {
    const { page, url } = await openDev({
      "server.ts": `
        import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
        export default function createServer() {
          const server = new McpServer({ name: "official", version: "1.0.0" });
          server.registerTool("hi", { description: "Says hi" }, () => ({ content: [{ type: "text", text: "hi" }] }));
          return server;
        }`,
    });
    expect((await page.connected()).revisions).toEqual({ legacy: LATEST_LEGACY });
    const client = await connect(url, LATEST_LEGACY);
    await client.callTool("hi");
    const call = await page.callOf("hi");
    expect(namesOf(call.phases)).toEqual(expect.arrayContaining(["queue", "handler"]));
    expect(namesOf(call.phases)).not.toContain("validate");
    const { snippets } = await page.detail(call.id);
    expect(snippets.test).toContain("tenon/client");
  });

  test("gives the session of a server with only one session back when it is closed", async () => {
    const { page, url } = await openDev({
      "server.ts": `
        import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
        const server = new McpServer({ name: "single", version: "1.0.0" });
        server.registerTool("hi", { description: "Says hi" }, () => ({ content: [{ type: "text", text: "hi" }] }));
        export default server;`,
    });
    await page.connected();
    page.close();
    await vi.waitFor(async () => {
      const client = await createClient(url, { revision: LATEST_LEGACY });
      await client.close();
    });
  });

  test("rejects requests without its token, while the endpoint stays open", async () => {
    const { url, page } = await openDev({ "server.ts": SERVER() });
    expect((await fetch(new URL("/_dev", url))).status).toBe(403);
    expect((await fetch(new URL("/_dev/api/events", url))).status).toBe(403);
    expect((await page.fetch("/_dev/api/events", { headers: { host: "x" } })).status).toBe(200);
    expect(await replyText(fetch(url, { method: "POST", body: "{}" }))).toBeDefined();
  });

  test("is off with --no-page", async () => {
    const run = startDev({ "server.ts": SERVER() }, { args: ["server.ts", "--port", "0", "--no-page"] });
    const { url = "", page } = await run.program.next("started");
    expect(page).toBeUndefined();
    expect((await fetch(new URL("/_dev", url))).status).toBe(404);
  });

  test("has its own port over stdio, and shows the calls there", async () => {
    const run = startDev({ "server.ts": SERVER() }, { args: ["server.ts", "--stdio"] });
    const started = await run.program.next("started");
    expect(started.url).toBeUndefined();
    const page = await PageClient.open(started.page ?? "");
    await page.connectedTwice();
    const { child } = run.program;
    const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
    const clientInfo = { name: "over stdio", version: "1" };
    send({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: LATEST_LEGACY, capabilities: {}, clientInfo },
    });
    // A client waits for this response before it sends its first call.
    await once(child.stdout, "data");
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "add", arguments: { a: 1, b: 2 } } });
    const call = await page.callOf("add");
    expect(call).toMatchObject({ client: { kind: "client", name: "over stdio" }, outcome: "ok" });
    expect((await page.detail(call.id)).wire[0]?.http).toBeUndefined();
    const { id } = await page.command("call", { tool: "add", arguments: { a: 1, b: 2 }, era: "modern" });
    expect(await page.call(id)).toMatchObject({ outcome: "ok" });
  });

  test("stops with the command, although a page is open", async () => {
    const { page, program } = await openDev({ "server.ts": SERVER() });
    await page.connectedTwice();
    expect((await program.stop("SIGTERM"))[0]).toBe(0);
    await expect(page.until(() => undefined, "the end")).rejects.toThrow("was closed");
  });
});

describe("the text output", () => {
  test("starts with the URL of the page", async () => {
    const run = startDev(
      { "server.ts": SERVER() },
      { args: ["server.ts", "--port", "0", "--no-json", "--no-tokens"] },
    );
    const line = await run.program.until(
      () => run.program.otherLines.find((one) => one.startsWith("Open ")),
      "Open",
    );
    expect(line).toMatch(
      /^Open http:\/\/127\.0\.0\.1:\d+\/_dev\?token=[\w-]{43} to try the server in a browser$/,
    );
    expect(run.program.otherLines.findIndex((one) => one.startsWith("Serving "))).toBeGreaterThan(
      run.program.otherLines.indexOf(line),
    );
  });
});
