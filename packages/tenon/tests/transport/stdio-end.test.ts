import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/core/define-server.js";
import { serveStdio } from "../../src/transport/stdio/serve-stdio.js";
import {
  call,
  deferred,
  INITIALIZE,
  line,
  openStreams,
  ping,
  serverOf,
  settled,
  Valve,
} from "../../../../tests/support/stdio-streams.js";

const NOTHING = z.object({});

/** Measures how long a task takes. */
async function timed(task: Promise<unknown>): Promise<number> {
  const began = performance.now();
  await task;
  return performance.now() - began;
}

describe("the end of a stdio connection", () => {
  test("cancels calls in flight, and does not wait for one that ignores it", async () => {
    const signals: AbortSignal[] = [];
    const { input, output, errors, transport } = openStreams(
      serverOf((one) => {
        signals.push(one.signal);
        return new Promise(() => {});
      }),
    );
    input.write(INITIALIZE + call(1, "run") + call(2, "run"));
    await settled();
    input.end();
    expect(await timed(transport.closed)).toBeLessThan(20_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(output.messages.map(({ id }) => id)).toEqual([0]);
    expect(transport.connection.callsInFlight).toBe(0);
    expect(errors).toEqual([]);
  });

  test("is not delayed by a client that stopped reading", async () => {
    const output = new Valve({ open: false, highWaterMark: 1_000_000 });
    const { input, transport } = openStreams(serverOf(), { output });
    input.end(INITIALIZE + ping(1));
    expect(await timed(transport.closed)).toBeLessThan(20_000);
  });

  test("is not delayed by a client that disconnects before it has read the rest", async () => {
    const output = new Valve({ open: false });
    const { input, transport } = openStreams(serverOf(), { output });
    input.end(INITIALIZE);
    await settled();
    output.destroy();
    expect(await timed(transport.closed)).toBeLessThan(490);
  });

  test("writes messages that were sent earlier", async () => {
    const server = serverOf();
    const output = new Valve({ open: false, highWaterMark: 100 });
    const { input, transport } = openStreams(server, { output });
    input.write(INITIALIZE);
    await settled();
    server.update((editor) => editor.tool("more", { input: NOTHING, handler: () => "" }));
    const closed = transport.close();
    expect(await Promise.race([closed, settled().then(() => "still writing")])).toBe("still writing");
    output.open();
    await closed;
    expect(output.messages.map(({ id, method }) => id ?? method)).toEqual([
      0,
      "notifications/tools/list_changed",
    ]);
  });

  test("releases a handler that waits for the reader", async () => {
    const ended = deferred<string>();
    let sent = 0;
    const output = new Valve({ open: false, highWaterMark: 1_000 });
    const { input, transport } = openStreams(
      serverOf(async (one) => {
        for (; sent < 100; sent += 1) await one.log("info", "is anybody there?");
        ended.resolve("let go");
        return "";
      }),
      { output },
    );
    input.write(INITIALIZE + call(1, "run"));
    await settled();
    expect(sent).toBeLessThan(20);
    await transport.close();
    expect(await ended.promise).toBe("let go");
  });

  test("close() stops reading and writing", async () => {
    const server = serverOf();
    let attached = 0;
    const { input, output, transport } = openStreams({
      handle: server.handle.bind(server),
      attach(connection, notify) {
        const detach = server.attach(connection, notify);
        attached += 1;
        return () => {
          attached -= 1;
          detach();
        };
      },
      close: () => expect.unreachable("the caller must close a server on streams that it provides"),
    });
    input.write(INITIALIZE);
    await settled();
    expect(attached).toBe(1);
    const closed = transport.close();
    expect(transport.close()).toBe(closed);
    await closed;
    expect(attached).toBe(0);
    const { text } = output;
    server.update((editor) => editor.tool("more", { input: NOTHING, handler: () => "" }));
    input.write(ping(1));
    await settled();
    expect(output.text).toBe(text);
    expect([input.listenerCount("data"), output.listenerCount("drain"), output.writableEnded]).toEqual([
      0,
      0,
      false,
    ]);
  });

  test("drops a reply that is ready later", async () => {
    const late = deferred<string>();
    const server = defineServer({ name: "stdio", version: "1.0.0" })
      .prompt("late", {
        arguments: z.object({ city: z.string() }),
        complete: { city: () => late.promise.then((city) => [city]) },
        handler: () => "",
      })
      .build();
    const { input, output, transport } = openStreams(server);
    const params = { ref: { type: "ref/prompt", name: "late" }, argument: { name: "city", value: "" } };
    input.write(INITIALIZE + line({ id: 1, method: "completion/complete", params }));
    await settled();
    await transport.close();
    late.resolve("Riga");
    await settled();
    expect(output.messages.map(({ id }) => id)).toEqual([0]);
  });

  const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });

  test("is triggered by a failed output without an unhandled error", async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(broken) });
    const work = deferred<string>();
    const { input, errors, transport } = openStreams(
      serverOf(() => work.promise),
      { output },
    );
    input.write(INITIALIZE + call(1, "run") + ping(2));
    await transport.closed;
    work.resolve("too late");
    await settled();
    expect(errors).toEqual([broken]);
    expect(transport.connection.callsInFlight).toBe(0);
  });

  test.each([
    ["an input that fails", ({ input }: Streams) => input.destroy(broken), [broken]],
    ["an input that was destroyed", ({ input }: Streams) => input.destroy(), []],
    ["an output that was destroyed", ({ output }: Streams) => output.destroy(), []],
  ])("is triggered by %s", async (_, breakIt, expected) => {
    const streams = openStreams(serverOf());
    streams.input.write(INITIALIZE);
    await settled();
    breakIt(streams);
    await streams.transport.closed;
    expect(streams.errors).toEqual(expected);
  });

  test("follows immediately if the streams have already ended", async () => {
    const input = new PassThrough();
    input.destroy();
    await serveStdio(serverOf(), { input, output: new Valve() }).closed;
    const output = new Valve();
    output.destroy();
    await serveStdio(serverOf(), { input: new PassThrough(), output }).closed;
  });

  test("reports later stream errors without throwing", async () => {
    const { input, output, errors, transport } = openStreams(serverOf());
    await transport.close();
    input.destroy(broken);
    output.destroy(broken);
    await settled();
    expect(errors).toEqual([broken, broken]);
  });
});

type Streams = Pick<ReturnType<typeof openStreams>, "input" | "output">;
