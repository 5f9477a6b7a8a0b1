import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/models/model-port.js";
import {
  ask,
  type Behaviour,
  beginStream,
  chunk,
  createTestPorts,
  DONE,
  modelOn,
  startModelServer,
  stream,
} from "../support/models/model-server.js";

const good = stream(chunk({ content: "ok" }, "stop"), DONE);
const refuse =
  (status: number, headers: Record<string, string> = {}, body = "") =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);
/** Applies the behaviors in order, then repeats the last one. */
const inTurn =
  (...behaviours: readonly Behaviour[]): Behaviour =>
  (response, count) =>
    (behaviours[count - 1] ?? behaviours.at(-1))?.(response, count);
/** Expected delays: half of the maximum backoff, because the random number is 0.5. */
const BACK_OFF = [250, 500, 1_000];

async function run(behave: Behaviour, options: Parameters<typeof modelOn>[1] = {}) {
  const server = await startModelServer(behave);
  const { ports, waited, running } = createTestPorts({ idleMs: options.idleTimeoutMs });
  const result = await ask(modelOn(server.baseUrl, { ports, ...options }));
  expect(running.size).toBe(0);
  return { ...result, waited, asked: server.requests.length, server };
}

describe("before a response starts", () => {
  test.each([408, 409, 429, 500, 502, 503, 504, 529])("status %i is retried", async (status) => {
    const result = await run(inTurn(refuse(status), refuse(status, {}, "x".repeat(100_000)), good));
    expect(result).toMatchObject({
      pieces: ["ok"],
      error: undefined,
      asked: 3,
      waited: BACK_OFF.slice(0, 2),
    });
  });

  test.each<[number, string]>([
    [408, "The model server is busy (status 408)."],
    [429, "The rate limit of the model server was reached (status 429)."],
    [503, "The model server is busy (status 503)."],
    [529, "The model server is busy (status 529)."],
    [500, "The model server failed (status 500)."],
    [502, "The model server failed (status 502)."],
  ])("status %i is reported after four attempts", async (status, message) => {
    const result = await run(refuse(status, {}, "foreign text"));
    expect(result).toMatchObject({ pieces: [], asked: 4, waited: BACK_OFF });
    expect(result.error).toBeInstanceOf(ModelError);
    expect(result.error).toMatchObject({ message, isTransient: true, cause: { message: "foreign text" } });
  });

  test.each<[number, string]>([
    [400, "The model server rejected the request (status 400)."],
    [401, "The model server rejected the API key (status 401)."],
    [402, "The quota for this API key is exhausted (status 402). Check the plan and billing of the account."],
    [403, "The model server rejected the API key (status 403)."],
    [404, "The model server did not find the model or the URL (status 404). Check `model` and `baseUrl`."],
    [413, "The model server rejected the request (status 413)."],
    [422, "The model server rejected the request (status 422)."],
    [501, "The model server failed (status 501)."],
  ])("status %i is reported immediately", async (status, message) => {
    const body = { stream_options: { include_usage: true } };
    const result = await run(refuse(status, {}, '{"error":{"message":"foreign text"}}'), { body });
    expect(result).toMatchObject({ pieces: [], asked: 1, waited: [] });
    expect(result.error).toMatchObject({ message, isTransient: false });
  });

  test("an exhausted quota is not retried", async () => {
    const result = await run(refuse(429, {}, '{"error":{"code":"insufficient_quota"}}'));
    expect(result.asked).toBe(1);
    expect(result.error).toMatchObject({
      message:
        "The quota for this API key is exhausted (status 429). Check the plan and billing of the account.",
      isTransient: false,
    });
  });

  test.each<[string, Record<string, string>, number]>([
    ["in seconds", { "retry-after": "7" }, 7_000],
    ["in fractions of a second", { "retry-after": "1.5" }, 1_500],
    ["in milliseconds, which take precedence", { "retry-after-ms": "900", "retry-after": "7" }, 900],
    ["until a date", { "retry-after": "Tue, 01 Jan 2030 00:00:20 GMT" }, 20_000],
    ["up to a minute", { "retry-after": "60" }, 60_000],
    ["shorter than the backoff", { "retry-after": "0" }, 250],
    ["until a past date", { "retry-after": "Mon, 31 Dec 2029 00:00:00 GMT" }, 250],
    ["as text", { "retry-after": "later" }, 250],
    ["a negative time", { "retry-after": "-5" }, 250],
  ])("honors the server's delay: %s", async (_title, headers, wait) => {
    const result = await run(inTurn(refuse(429, headers), good));
    expect(result).toMatchObject({ pieces: ["ok"], waited: [wait], asked: 2 });
  });

  test("a delay of more than a minute is reported instead of awaited", async () => {
    const result = await run(refuse(429, { "retry-after": "3600" }));
    expect(result).toMatchObject({ asked: 1, waited: [] });
    expect(result.error).toMatchObject({
      message: "The rate limit of the model server was reached (status 429). Try again in 3600 seconds.",
      isTransient: false,
    });
  });

  test("delays double, up to 30 seconds", async () => {
    const result = await run(refuse(503), { maxAttempts: 10 });
    expect(result.waited).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    expect(result.asked).toBe(10);
  });

  test.each<[string, Behaviour]>([
    ["before the response headers", (response) => void response.socket?.destroy()],
    [
      "before the first event",
      (response) => void beginStream(response).write(": hi\n\n", () => response.socket?.destroy()),
    ],
    ["at the end of an empty stream", stream("")],
    ["after an error before the first piece", stream('data: {"error":{"code":500}}\n\n')],
  ])("a connection that is lost %s is retried", async (_title, lose) => {
    const result = await run(inTurn(lose, lose, good));
    expect(result).toMatchObject({ pieces: ["ok"], error: undefined, asked: 3 });
  });

  test("an unreachable server is reported", async () => {
    const server = await startModelServer(good);
    const { ports, waited } = createTestPorts();
    const { error } = await ask(modelOn("http://127.0.0.1:1/v1", { ports, maxAttempts: 2 }));
    expect(error).toMatchObject({
      message: "Could not reach the model server. Check `baseUrl`, and make sure that the server is running.",
      isTransient: true,
    });
    expect(waited).toEqual(BACK_OFF.slice(0, 1));
    expect(server.requests).toEqual([]);
  });

  test.each([301, 302, 307, 308])("a redirect with status %i is not followed", async (status) => {
    const elsewhere = await startModelServer(good);
    const result = await run(refuse(status, { location: `${elsewhere.baseUrl}/chat/completions` }));
    expect(result.error).toMatchObject({
      message: `The model server redirected the request to a different URL (status ${status}). Redirects are not followed. Set \`baseUrl\` to the final URL.`,
      isTransient: false,
    });
    expect([result.asked, elsewhere.requests.length]).toEqual([1, 0]);
  });
});

describe("after a response has started", () => {
  test("a lost connection is reported and not retried", async () => {
    const result = await run((response) => {
      beginStream(response).write(chunk({ content: "Hel" }), () => {
        setTimeout(() => response.socket?.destroy(), 20);
      });
    });
    expect(result).toMatchObject({ pieces: ["Hel"], asked: 1, waited: [] });
    expect(result.error).toMatchObject({
      message: "The connection to the model server was lost.",
      isTransient: true,
    });
  });

  test("a connection that is lost after the end is ignored", async () => {
    const result = await run((response) => {
      beginStream(response).write(chunk({ content: "ok" }, "stop"), () => {
        setTimeout(() => response.socket?.destroy(), 20);
      });
    });
    expect(result).toMatchObject({ pieces: ["ok"], error: undefined });
  });

  test("a connection that stays open after [DONE] does not delay the response", async () => {
    const started = performance.now();
    const result = await run((response) => void beginStream(response).write(chunk({ content: "ok" }) + DONE));
    expect(result).toMatchObject({ pieces: ["ok"], error: undefined });
    expect(performance.now() - started).toBeLessThan(10_000);
    await result.server.closed();
  });
});

/** Long enough for a busy machine to send the expected data before the timeout. */
const SHORT_IDLE_MS = 1_500;

describe("a server that stops sending", () => {
  test.each<[string, Behaviour, readonly string[]]>([
    ["before the response headers", () => {}, []],
    ["before the first event", (response) => beginStream(response).flushHeaders(), []],
    ["after a piece", (response) => void beginStream(response).write(chunk({ content: "Hel" })), ["Hel"]],
    [
      "in the middle of JSON",
      (response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"),
      [],
    ],
  ])("%s times out, and its connection is closed", async (_title, behave, pieces) => {
    const result = await run(behave, { idleTimeoutMs: SHORT_IDLE_MS });
    expect(result).toMatchObject({ pieces, asked: 1 });
    expect(result.error).toMatchObject({
      message: `The model server timed out (no data for ${SHORT_IDLE_MS} ms).`,
      isTransient: true,
    });
    await result.server.closed();
  });

  test("comments reset the timeout", async () => {
    const server = await startModelServer((response) => {
      beginStream(response);
      let count = 0;
      const timer = setInterval(() => {
        response.write(": still here\n\n");
        if (++count < 20) return;
        clearInterval(timer);
        response.end(chunk({ content: "ok" }, "stop"));
      }, SHORT_IDLE_MS / 15);
    });
    expect(await ask(modelOn(server.baseUrl, { idleTimeoutMs: SHORT_IDLE_MS }))).toEqual({
      pieces: ["ok"],
      error: undefined,
    });
  });

  test("a slow consumer does not cause a timeout", async () => {
    const server = await startModelServer((response) => {
      beginStream(response).write(chunk({ content: "a" }));
      response.end(chunk({ content: "b" }, "stop"));
    });
    const pieces: unknown[] = [];
    const model = modelOn(server.baseUrl, { idleTimeoutMs: SHORT_IDLE_MS });
    for await (const piece of model({ taskId: "t", messages: [], tools: [] }, new AbortController().signal)) {
      pieces.push(piece);
      await new Promise((resolve) => setTimeout(resolve, SHORT_IDLE_MS * 1.2));
    }
    expect(pieces).toEqual(["a", "b", { finish: { reason: "stop" } }]);
  });

  test("an error response whose body never ends is still reported", async () => {
    const result = await run(
      inTurn((response) => void response.writeHead(503).write("x"), good),
      { idleTimeoutMs: SHORT_IDLE_MS },
    );
    expect(result).toMatchObject({ pieces: ["ok"], asked: 2 });
  });
});

describe("the API key", () => {
  const apiKey = 'sk-"canary\\/+%7';
  const escaped = JSON.stringify(apiKey).slice(1, -1);
  const header = "canary-of-a-header";
  const echo = `${apiKey} ${escaped} ${encodeURIComponent(apiKey)} ${header}`;

  test.each<[string, Behaviour]>([
    ["an error response", refuse(401, {}, `Your key ${echo} is wrong`)],
    ["a long error response", refuse(400, {}, apiKey.repeat(5_000))],
    ["a failure", refuse(500, {}, echo)],
    ["a redirect", refuse(302, { location: `/?key=${encodeURIComponent(apiKey)}` }, echo)],
    [
      "an error in the stream",
      stream(`data: ${JSON.stringify({ error: { code: 400, message: echo } })}\n\n`),
    ],
    ["garbage", stream(`data: ${echo}\n\n`)],
    ["an HTML page", stream(`${echo}\n`)],
    ["a lost connection", (response) => void response.socket?.destroy()],
  ])("is not in any error if %s contains it", async (_title, behave) => {
    const { error } = await run(behave, { apiKey, headers: { "x-key": header }, maxAttempts: 2 });
    expect(error).toBeInstanceOf(ModelError);
    const shown = inspect(error, { depth: 10, showHidden: true, maxStringLength: null });
    for (const form of [apiKey, escaped, encodeURIComponent(apiKey), "canary"])
      expect(shown).not.toContain(form);
    expect(shown.length).toBeLessThan(20_000);
  });

  test("is not in any error if fetch reports it", async () => {
    const { ports } = createTestPorts();
    const fetch = () => Promise.reject(new TypeError("failed", { cause: new Error(`bad header ${apiKey}`) }));
    const { error } = await ask(modelOn("http://127.0.0.1:1", { apiKey, fetch, ports }));
    expect(error).toMatchObject({
      message: "Could not reach the model server. Check `baseUrl`, and make sure that the server is running.",
    });
    expect(error).toMatchObject({ cause: { message: "TypeError: failed < Error: bad header [REDACTED]" } });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
  });
});
