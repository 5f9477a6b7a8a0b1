import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { withPorts } from "@tenon/internal/ports";
import { defineServer } from "../../../src/core/define-server.js";
import { WebBody } from "../../../src/transport/fetch/web-body.js";
import { onCredentialsEnd } from "../../../src/transport/http/limits/credential-lifetime.js";
import { MemoryBudget } from "../../../src/transport/http/limits/memory-budget.js";
import { createClock } from "../../../../../tests/support/http-clock.js";
import { messagesOf, readEvents } from "../../../../../tests/support/http-events.js";
import { FETCH, NODE, until } from "../../../../../tests/support/http-faces.js";
import { modernPost } from "../../../../../tests/support/http-messages.js";
import { openSocket, rawPost } from "../../../../../tests/support/http-raw.js";
import { MODERN, modernRequest } from "../../../../../tests/support/requests.js";

/** Longest delay that `setTimeout` supports. */
const MAX_DELAY = 2_147_483_647;

describe("onCredentialsEnd", () => {
  const setUp = () => {
    const clock = createClock();
    const delays: number[] = [];
    const ports = withPorts({
      now: clock.ports.now,
      startTimer: (task, ms, background) => {
        delays.push(ms);
        expect(background).toBe(true);
        return clock.ports.startTimer(task, ms);
      },
    });
    return { clock, delays, ports };
  };

  test("waits longer than a timer can", () => {
    const { clock, delays, ports } = setUp();
    let ends = 0;
    onCredentialsEnd({ validUntil: 2.5 * MAX_DELAY }, ports, () => ends++);
    clock.advance(2.5 * MAX_DELAY - 1);
    expect(ends).toBe(0);
    clock.advance(1);
    expect(ends).toBe(1);
    expect(Math.max(...delays)).toBe(MAX_DELAY);
    expect(clock.timers).toBe(0);
  });

  test.each([0, -1, Number.NaN])("ends immediately if the time is %s", (validUntil) => {
    const { clock, ports } = setUp();
    let ends = 0;
    onCredentialsEnd({ validUntil }, ports, () => ends++);
    expect([ends, clock.timers]).toEqual([1, 0]);
  });

  test("ends immediately if the credentials are revoked", () => {
    const { clock, ports } = setUp();
    let ends = 0;
    onCredentialsEnd({ validUntil: 5, revoked: AbortSignal.abort() }, ports, () => ends++);
    expect([ends, clock.timers]).toEqual([1, 0]);
  });

  test.each<readonly [string, (end: { readonly revoke: () => void; readonly wait: () => void }) => void]>([
    ["expired first", ({ wait }) => wait()],
    ["were revoked first", ({ revoke }) => revoke()],
  ])("ends once and releases its timer and listener if the credentials %s", (_title, end) => {
    const { clock, ports } = setUp();
    const { signal: revoked, ...controller } = controllerOf();
    let ends = 0;
    onCredentialsEnd({ validUntil: 5, revoked }, ports, () => ends++);
    expect([clock.timers, getEventListeners(revoked, "abort").length]).toEqual([1, 1]);
    end({ revoke: controller.abort, wait: () => clock.advance(5) });
    expect([clock.timers, getEventListeners(revoked, "abort").length]).toEqual([0, 0]);
    controller.abort();
    clock.advance(10);
    expect(ends).toBe(1);
  });

  test("does nothing after it was stopped", () => {
    const { clock, ports } = setUp();
    const { signal: revoked, abort } = controllerOf();
    let ends = 0;
    onCredentialsEnd({ validUntil: 5, revoked }, ports, () => ends++)?.();
    expect([clock.timers, getEventListeners(revoked, "abort").length]).toEqual([0, 0]);
    abort();
    clock.advance(10);
    expect(ends).toBe(0);
  });

  test("uses one listener for all streams of a signal", () => {
    const { ports } = setUp();
    const { signal: revoked, abort } = controllerOf();
    const ended: number[] = [];
    const stops = Array.from({ length: 20 }, (_, index) =>
      onCredentialsEnd({ revoked }, ports, () => ended.push(index)),
    );
    expect(getEventListeners(revoked, "abort")).toHaveLength(1);
    for (const stop of stops.slice(0, 18)) stop?.();
    for (const stop of stops.slice(0, 18)) stop?.();
    expect(getEventListeners(revoked, "abort")).toHaveLength(1);
    abort();
    expect(ended).toEqual([18, 19]);
    expect(getEventListeners(revoked, "abort")).toHaveLength(0);
  });

  test("needs neither a timer nor a listener for credentials without an end", () => {
    const { clock, ports } = setUp();
    expect(onCredentialsEnd({}, ports, () => {})).toBeUndefined();
    expect(clock.timers).toBe(0);
  });
});

function controllerOf() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

describe("a client that does not read its stream", () => {
  const URI = `test://${"x".repeat(8_000)}`;
  const setUp = () => {
    const { signal, abort } = controllerOf();
    const server = defineServer({ name: "slow", version: "1.0.0" })
      .resource("long", { uri: URI, handler: () => "" })
      .build();
    const options = {
      authenticate: () => ({ auth: { principal: "ada", scopes: [] }, revoked: signal }),
      maxQueueBytes: 1e9,
      maxResponseBytes: 1e9,
    };
    return { server, options, abort };
  };
  const NOTIFICATIONS = { notifications: { resourceSubscriptions: [URI] } };

  test("receives none of the queued events on `fetch`, only the end of the subscription", async () => {
    const { server, options, abort } = setUp();
    const endpoint = await FETCH.open(server, options);
    const response = await endpoint.fetch(modernPost("subscriptions/listen", NOTIFICATIONS));
    for (let count = 0; count < 10; count++) void server.resourceUpdated(URI);
    abort();
    await new Promise(setImmediate);
    expect(messagesOf(await readEvents(response).rest())).toMatchObject([
      { id: 1, result: { resultType: "complete" } },
    ]);
  });

  test("is disconnected on `node:http` and receives only what was on its way", async () => {
    const { server, options, abort } = setUp();
    const { port } = await NODE.open(server, options);
    const socket = await openSocket(port);
    const chunks: Uint8Array[] = [];
    const body = JSON.stringify(modernRequest("subscriptions/listen", NOTIFICATIONS));
    socket.write(
      rawPost(body, { "MCP-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen", Accept: "*/*" }),
    );
    socket.on("data", (chunk) => void chunks.push(chunk));
    const received = () =>
      Buffer.concat(chunks).toString().split("notifications/resources/updated").length - 1;
    await until(() => Buffer.concat(chunks).includes("acknowledged"), "the acknowledgement");
    socket.pause();
    let closed = false;
    socket.once("close", () => {
      closed = true;
    });
    const SENT = 2_500; // 20 MB, more than the operating system buffers
    for (let count = 0; count < SENT; count++) void server.resourceUpdated(URI);
    await new Promise(setImmediate);
    abort();
    socket.resume();
    await until(() => closed, "the end of the connection");
    expect(received()).toBeLessThan(SENT);
    expect(Buffer.concat(chunks).includes("resultType")).toBe(false);
  });
});

describe("WebBody.cut", () => {
  const read = async (body: WebBody) => {
    const { value } = await body.stream.getReader().read();
    return value === undefined ? "" : new TextDecoder().decode(value);
  };
  const open = () => {
    const clock = createClock();
    const budget = new MemoryBudget(withPorts(clock.ports), { maxBytes: 1_000_000, timeoutMs: 1_000 });
    return { clock, body: new WebBody(new AbortController(), budget, false) };
  };

  test("drops queued text, sends the last text, and ends", async () => {
    const { body, clock } = open();
    void body.write("first");
    body.cut("last");
    expect(body.heldBytes).toBe(4);
    expect(await new Response(body.stream).text()).toBe("last");
    expect(clock.timers).toBe(0);
  });

  test("does not append the last text to a part of another text", async () => {
    const { body } = open();
    void body.write("x".repeat(100_000));
    const reader = body.stream.getReader();
    expect((await reader.read()).value).toHaveLength(65_536);
    body.cut("last");
    expect(await reader.read()).toEqual({ done: true, value: undefined });
  });

  test("drops the rest of a body that is ending", async () => {
    const { body } = open();
    void body.write("first");
    body.end();
    body.cut("last");
    expect(await read(body)).toBe("");
  });

  test("lets waiting writers continue", async () => {
    const { body } = open();
    const written = body.write("x".repeat(100_000));
    expect(written).toBeInstanceOf(Promise);
    body.cut("");
    await written;
  });
});
