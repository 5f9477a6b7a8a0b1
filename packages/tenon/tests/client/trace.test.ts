import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { createClient, type RemoteClientOptions, type TracedMessage } from "../../src/client/index.js";
import { defineServer, form } from "../../src/index.js";
import { LATEST_LEGACY, MODERN_REVISIONS, type Revision } from "../../src/protocol/index.js";
import { toNodeHandler } from "../../src/transport/node/index.js";
import { ROOT } from "../../../../tools/source-files.js";

const REVISIONS: readonly Revision[] = [LATEST_LEGACY, ...MODERN_REVISIONS];

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(listener: Listener): Promise<string> {
  const http = createServer(listener);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

function createShop() {
  return defineServer({ name: "shop", version: "1.0.0" })
    .tool("add", {
      input: z.object({ a: z.number(), b: z.number() }),
      handler: ({ a, b }) => String(a + b),
    })
    .tool("steps", {
      async handler(_args, call) {
        await call.progress(1, 2, "mixing");
        return "done";
      },
    })
    .tool("ask", {
      async handler(_args, call) {
        const answer = await call.input(
          "name",
          form({ message: "Who?", schema: z.object({ name: z.string() }) }),
        );
        return answer.action === "accept" ? answer.content.name : "nobody";
      },
    });
}

/** Connects a client, and collects the messages after the handshake. */
async function connect(server: Parameters<typeof createClient>[0], options: RemoteClientOptions) {
  const traced: TracedMessage[] = [];
  const client = await createClient(server as string, {
    ...options,
    trace: (message) => traced.push(message),
  });
  onTestFinished(() => client.close());
  return { client, traced };
}

const bodies = (traced: readonly TracedMessage[]) =>
  traced.flatMap(({ text }) => (text === "" ? [] : [JSON.parse(text) as Record<string, unknown>]));

describe.each(REVISIONS)("trace over HTTP in %s", (revision) => {
  test("reports the exact text, the method, the status, and the headers of a call", async () => {
    const seen: { readonly body: string; readonly headers: IncomingMessage["headers"] }[] = [];
    const handler = toNodeHandler(createShop());
    const url = await serve((request, response) => {
      const chunks: Uint8Array[] = [];
      request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      request.on("end", () =>
        seen.push({ body: Buffer.concat(chunks).toString("utf8"), headers: request.headers }),
      );
      handler(request, response);
    });
    const { client, traced } = await connect(url, { revision });
    const before = traced.length;
    const earliest = Date.now();
    await client.callTool("add", { a: 1, b: 2 });
    const [sent, received] = traced.slice(before);
    expect(traced.length - before).toBe(2);
    expect(sent).toMatchObject({ direction: "sent", http: { method: "POST" } });
    expect(received).toMatchObject({ direction: "received", http: { status: 200 } });
    expect(sent?.at).toBeGreaterThanOrEqual(earliest);
    expect(received?.at).toBeGreaterThanOrEqual(sent?.at ?? Infinity);
    const { body, headers } = seen.at(-1) ?? { body: "", headers: {} };
    expect(sent?.text).toBe(body);
    expect(Object.entries(headers)).toEqual(expect.arrayContaining([...(sent?.http?.headers ?? [])]));
    expect(bodies(traced).at(-1)).toMatchObject({ result: { content: [{ type: "text", text: "3" }] } });
    expect(new Map(received?.http?.headers).get("content-type")).toContain("application/json");
  });

  test("reports each message of an event stream, with the response that carried it", async () => {
    const url = await serve(toNodeHandler(createShop()));
    const { client, traced } = await connect(url, { revision });
    const before = traced.length;
    await client.callTool("steps", {}, { onProgress: () => undefined });
    const received = traced.slice(before).filter(({ direction }) => direction === "received");
    expect(bodies(received).map((body) => body["method"] ?? "response")).toEqual([
      "notifications/progress",
      "response",
    ]);
    for (const { http } of received)
      expect(new Map(http?.headers).get("content-type")).toContain("text/event-stream");
  });

  test("reports the server's questions and the answers to them", async () => {
    const url = await serve(toNodeHandler(createShop()));
    const input = () => ({ action: "accept", content: { name: "Ada" } }) as const;
    const { client, traced } = await connect(url, { revision, input });
    expect(await client.callTool("ask")).toMatchObject({ content: [{ text: "Ada" }] });
    const texts = traced.map(({ direction, text }) => `${direction} ${text}`);
    expect(texts).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^received .*elicitation\/create/),
        expect.stringMatching(/^sent .*"Ada"/),
      ]),
    );
  });
});

describe("trace", () => {
  test("replaces the values of credentials, and keeps the session", async () => {
    const handler = toNodeHandler(createShop());
    const url = await serve((request, response) => {
      response.setHeader("set-cookie", "id=s3cret-cookie");
      handler(request, response);
    });
    const { client, traced } = await connect(url, {
      revision: LATEST_LEGACY,
      headers: { cookie: "a=s3cret-1", "x-api-key": "s3cret-2", "x-plain": "shown" },
      authorization: { token: () => "s3cret-3", renew: async () => false },
    });
    await client.callTool("add", { a: 1, b: 2 });
    expect(JSON.stringify(traced)).not.toContain("s3cret");
    const headers = new Map(traced.at(-2)?.http?.headers);
    expect(headers.get("authorization")).toBe("Bearer [REDACTED]");
    expect(headers.get("cookie")).toBe("[REDACTED]");
    expect(headers.get("x-api-key")).toBe("[REDACTED]");
    expect(headers.get("x-plain")).toBe("shown");
    expect(headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]+$/);
  });

  test("reports responses without a message, and rejected requests", async () => {
    const handler = toNodeHandler(createShop());
    let isAllowed = false;
    const url = await serve((request, response) => {
      if (isAllowed) handler(request, response);
      else response.writeHead(401, { "www-authenticate": "Bearer" }).end("no");
    });
    const renew = async () => (isAllowed = true);
    const { traced } = await connect(url, {
      revision: LATEST_LEGACY,
      authorization: { token: () => undefined, renew },
    });
    const statuses = traced.flatMap(({ http, text }) =>
      http?.status === undefined ? [] : [[http.status, text === ""]],
    );
    expect(statuses).toEqual([
      [401, true],
      [200, false],
      [202, true],
    ]);
  });

  test("does not fail a request if the function throws", async () => {
    const url = await serve(toNodeHandler(createShop()));
    const trace = vi.fn(() => {
      throw new Error("broken");
    });
    const client = await createClient(url, { trace });
    onTestFinished(() => client.close());
    expect(await client.callTool("add", { a: 1, b: 2 })).toMatchObject({ content: [{ text: "3" }] });
    expect(trace).toHaveBeenCalled();
  });

  test("is not available in memory", async () => {
    const options = { trace: () => undefined };
    await expect(createClient(createShop().build(), options as never)).rejects.toThrow(/trace/);
  });
});

describe.each(REVISIONS)("trace over stdio in %s", (revision) => {
  test("reports each line without HTTP, and ignores lines that are not messages", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tenon-trace-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, "program.mjs");
    writeFileSync(
      program,
      `import { defineServer } from "${ROOT}/packages/tenon/dist/index.js";
import { serveStdio } from "${ROOT}/packages/tenon/dist/transport/stdio/index.js";
process.stdout.write("Welcome!\\n");
await serveStdio(defineServer({ name: "program", version: "1" }).tool("umlaut", { handler: () => "ü" }));`,
    );
    const { client, traced } = await connect(
      { command: process.execPath, args: [program] },
      {
        revision,
      },
    );
    const before = traced.length;
    await client.callTool("umlaut");
    const [sent, received] = traced.slice(before);
    expect(JSON.parse(sent?.text ?? "")).toMatchObject({ method: "tools/call", params: { name: "umlaut" } });
    expect(JSON.parse(received?.text ?? "")).toMatchObject({ result: { content: [{ text: "ü" }] } });
    expect(traced.every(({ http, text }) => http === undefined && text.startsWith("{"))).toBe(true);
  });
});

describe("roots", () => {
  test("can come from a function, which is called for each request", async () => {
    const server = defineServer({ name: "roots", version: "1.0.0" }).tool("list", {
      handler: async (_args, call) => (await call.roots("roots")).map(({ uri }) => uri).join(),
    });
    const url = await serve(toNodeHandler(server));
    let count = 0;
    const roots = async () => [{ uri: `file:///${++count}` }];
    const client = await createClient(url, { revision: LATEST_LEGACY, roots });
    onTestFinished(() => client.close());
    expect(await client.callTool("list")).toMatchObject({ content: [{ text: "file:///1" }] });
    expect(await client.callTool("list")).toMatchObject({ content: [{ text: "file:///2" }] });
  });
});
