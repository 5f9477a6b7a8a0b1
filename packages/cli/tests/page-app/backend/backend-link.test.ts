import { describe, expect, test, vi } from "vitest";
import { BackendLink, retryDelay } from "../../../page/backend/backend-link.js";
import type { Fetch } from "../../../page/backend/requests.js";
import type { PageEvent } from "../../../src/page/protocol.js";
import { manualTimer } from "../../support/page-app/samples.js";

/** Stream that the test writes and closes. */
function openStream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(created) {
      controller = created;
    },
  });
  return {
    response: new Response(body as ConstructorParameters<typeof Response>[0]),
    write: (text: string) => controller?.enqueue(new TextEncoder().encode(text)),
    close: () => controller?.close(),
  };
}

function create(fetch: Fetch) {
  const timer = manualTimer();
  const events: PageEvent[] = [];
  const onOpen = vi.fn();
  const link = new BackendLink({ fetch, timer, onOpen, onEvents: (more) => events.push(...more) });
  return { link, timer, events, onOpen, ended: link.start() };
}

const EVENT = JSON.stringify({ type: "calls-cleared" });

describe("BackendLink", () => {
  test("passes on the events of a stream", async () => {
    const stream = openStream();
    const { link, events, onOpen, ended } = create(async () => stream.response);
    await vi.waitFor(() => expect(link.state.value.status).toBe("open"));
    stream.write(`${EVENT}\n{"type":`);
    stream.write(`"ready"}\n`);
    await vi.waitFor(() => expect(events).toEqual([{ type: "calls-cleared" }, { type: "ready" }]));
    expect(onOpen).toHaveBeenCalledOnce();
    link.stop();
    stream.close();
    await ended;
  });

  test("connects again when a stream ends, and starts with a short delay", async () => {
    const streams = [openStream(), openStream()];
    let count = 0;
    const { link, timer, onOpen, ended } = create(async () => streams[count++]?.response ?? Response.error());
    await vi.waitFor(() => expect(onOpen).toHaveBeenCalledTimes(1));
    streams[0]?.close();
    await vi.waitFor(() => expect(link.state.value.status).toBe("lost"));
    timer.run(retryDelay(0));
    await vi.waitFor(() => expect(onOpen).toHaveBeenCalledTimes(2));
    expect(link.state.value.status).toBe("open");
    link.stop();
    streams[1]?.close();
    await ended;
  });

  test("waits longer after each failed attempt, and not when the user asks for another one", async () => {
    let attempts = 0;
    const { link, timer, ended } = create(async () => {
      attempts++;
      throw new TypeError("not reachable");
    });
    await vi.waitFor(() => expect(timer.delays()).toContain(retryDelay(1)));
    timer.run(retryDelay(1));
    await vi.waitFor(() => expect(timer.delays()).toContain(retryDelay(2)));
    expect(retryDelay(2)).toBeGreaterThan(retryDelay(1));
    link.retry();
    await vi.waitFor(() => expect(attempts).toBe(3));
    link.stop();
    await ended;
  });

  test("reports a missing or old token with the backend's message", async () => {
    const reply = Response.json({ error: "Open the URL that the command prints." }, { status: 403 });
    const { link, timer, ended } = create(async () => reply);
    await vi.waitFor(() =>
      expect(link.state.value).toEqual({
        status: "denied",
        message: "Open the URL that the command prints.",
      }),
    );
    expect(timer.delays()).toEqual([5_000]);
    link.stop();
    await ended;
  });

  test("reports other failures", async () => {
    const { link, ended } = create(async () => new Response("busy", { status: 429 }));
    await vi.waitFor(() =>
      expect(link.state.value).toEqual({
        status: "rejected",
        message: "The command responded with HTTP status 429.",
      }),
    );
    link.stop();
    await ended;
  });

  test("a long silence means that the connection is lost", async () => {
    const stream = openStream();
    const { link, timer, ended } = create(async (_url, init) => {
      init?.signal?.addEventListener("abort", () => stream.close());
      return stream.response;
    });
    await vi.waitFor(() => expect(link.state.value.status).toBe("open"));
    timer.run(45_000);
    await vi.waitFor(() => expect(link.state.value.status).toBe("lost"));
    link.stop();
    await ended;
  });
});

test("the delay has a limit", () => {
  expect(retryDelay(1_000)).toBe(5_000);
});
