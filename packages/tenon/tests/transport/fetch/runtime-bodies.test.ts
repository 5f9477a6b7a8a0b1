import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { modernCall } from "../../../../../tests/support/http-messages.js";

const URL = "http://127.0.0.1:3000/mcp";

beforeEach(() => {
  // The runtime is detected when the module is loaded.
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllGlobals();
    // Later test files in this worker must not get modules that have detected another runtime.
    vi.resetModules();
  });
});

/** Handles a call on a runtime with the given user agent. Returns the status and how the body was read. */
async function callOn(
  userAgent: string | undefined,
  body: string | Uint8Array | ReadableStream,
  length: number,
) {
  vi.stubGlobal("navigator", userAgent === undefined ? undefined : { userAgent });
  const { defineServer } = await import("../../../src/core/define-server.js");
  const { toFetch } = await import("../../../src/transport/fetch/index.js");
  const server = defineServer({ name: "bodies", version: "1.0.0" }).tool("echo", {
    input: z.object({ text: z.string() }),
    handler: ({ text }) => text,
  });
  const handler = toFetch(server, { limits: { maxBytes: 1_000 } });
  const { headers } = modernCall("echo", { text: "" });
  const request = new Request(URL, {
    method: "POST",
    headers: { ...(headers as Record<string, string>), "content-length": String(length) },
    body,
    duplex: "half",
  });
  const whole = vi.spyOn(request, "arrayBuffer");
  const response = await handler(request);
  return { status: response.status, readWhole: whole.mock.calls.length === 1 };
}

const CALL = modernCall("echo", { text: "Grüße" }).body as string; // Safe: the helper creates text
const BYTES = new TextEncoder().encode(CALL);

test.each(["Bun/1.4.4", "Deno/2.9.5", "Cloudflare-Workers"])(
  "the server of %s reads a body with a length, which it enforces",
  async (userAgent) => {
    expect(await callOn(userAgent, CALL, BYTES.length)).toEqual({ status: 200, readWhole: true });
  },
);

test.each(["Node.js/24", undefined])(
  "a real request on Node (%s) is read in chunks, because any program can create it",
  async (userAgent) => {
    expect(await callOn(userAgent, CALL, BYTES.length)).toEqual({ status: 200, readWhole: false });
  },
);

test("a body that is longer than its declared length is rejected at the limit", async () => {
  const long = `${CALL}${" ".repeat(1_000)}`;
  expect(await callOn("Bun/1.4.4", long, 10)).toEqual({ status: 413, readWhole: true });
});

test("malformed UTF-8 is rejected", async () => {
  const damaged = BYTES.with(BYTES.indexOf(0xc3), 0xff);
  expect(await callOn("Deno/2.9.5", damaged, damaged.length)).toEqual({ status: 400, readWhole: true });
});

test("a declared length above the limit is rejected without reading the body", async () => {
  const unread = vi.fn<() => void>();
  const body = new ReadableStream({ pull: unread }, { highWaterMark: 0 });
  expect(await callOn("Bun/1.4.4", body, 1_001)).toEqual({ status: 413, readWhole: false });
  expect(unread).not.toHaveBeenCalled();
});
