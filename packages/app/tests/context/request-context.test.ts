import { describe, expect, test } from "vitest";
import { createRequestContextService } from "../../src/context/request-context-service.js";
import { traceHeaders } from "../../src/context/request-context.js";
import { createTimestamps } from "../../src/context/timestamps.js";
import * as fc from "fast-check";
import {
  formatTraceparent,
  readTraceparent,
  readTracestate,
  readTrace,
} from "../../src/context/trace-context.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const PARENT = `00-${TRACE}-${SPAN}-01`;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("a request context", () => {
  const service = createRequestContextService({ ports: { now: () => 1_700_000_000_123 } });

  test("T3: has a unique ID, a timestamp, and its input members, and is frozen", () => {
    const context = service.createRequestContext({ operation: "RegisterTool", toolName: "echo" });
    expect(context).toEqual({
      requestId: expect.stringMatching(UUID) as string,
      timestamp: "2023-11-14T22:13:20.123Z",
      operation: "RegisterTool",
      toolName: "echo",
    });
    expect(Object.isFrozen(context)).toBe(true);
    expect(Object.keys({ ...context })).toContain("requestId");
  });

  test("T3: IDs are unique", () => {
    const ids = Array.from({ length: 5_000 }, () => service.createRequestContext().requestId);
    expect(new Set(ids).size).toBe(5_000);
    expect(ids.every((id) => UUID.test(id))).toBe(true);
  });

  test("T26: a child has its own ID, its parent's ID, and the shared members", () => {
    const parent = service.createRequestContext({
      operation: "tools/call",
      principal: "ada",
      input: { a: 1 },
    });
    const child = service.createRequestContext({ parentContext: parent, operation: "HandleToolRequest" });
    expect(child.requestId).not.toBe(parent.requestId);
    expect(child.parentRequestId).toBe(parent.requestId);
    expect(child["principal"]).toBe("ada");
    expect(child.operation).toBe("HandleToolRequest");
    expect(child["input"]).toBeUndefined();
    expect(child["parentContext"]).toBeUndefined();
  });

  test("copies only the ID and the trace from a foreign parent", () => {
    const extra = {
      requestId: 7,
      authInfo: { token: "secret" },
      signal: new AbortController().signal,
      _meta: { traceparent: PARENT },
    };
    const child = service.createRequestContext({ parentContext: extra });
    expect(Object.keys(child).toSorted()).toEqual([
      "parentRequestId",
      "requestId",
      "timestamp",
      "traceparent",
    ]);
    expect(child.parentRequestId).toBe("7");
    expect(readTraceparent(child.traceparent)?.traceId).toBe(TRACE);
  });

  test("a child has its own span in the same trace and passes it on in headers", () => {
    const parent = service.createRequestContext({ traceparent: PARENT, tracestate: "a=1" });
    const child = service.createRequestContext({ parentContext: parent });
    const place = readTraceparent(child.traceparent);
    expect(place).toMatchObject({ traceId: TRACE, flags: 1 });
    expect(place?.spanId).not.toBe(SPAN);
    expect(traceHeaders(child)).toEqual({ traceparent: child.traceparent, tracestate: "a=1" });
    expect(traceHeaders(service.createRequestContext())).toEqual({});
  });

  test("a service adds its configured members to every context", () => {
    const own = createRequestContextService({ config: { application: "shop" } });
    expect(own.createRequestContext()["application"]).toBe("shop");
    own.configure({ environment: "test" });
    expect(own.getConfig()).toEqual({ environment: "test" });
    expect(own.createRequestContext()["application"]).toBeUndefined();
  });

  test("the current context survives promises and timers, separately for each request", async () => {
    const seen = await Promise.all(
      ["a", "b", "c"].map((operation) =>
        service.run(service.createRequestContext({ operation }), async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          return service.current()?.operation;
        }),
      ),
    );
    expect(seen).toEqual(["a", "b", "c"]);
    expect(service.current()).toBeUndefined();
  });

  test("formats timestamps like Date", () => {
    const toTimestamp = createTimestamps();
    fc.assert(
      fc.property(fc.integer({ min: -62_000_000_000_000, max: 250_000_000_000_000 }), (time) => {
        expect(toTimestamp(time)).toBe(new Date(time).toISOString());
      }),
    );
  });
});

describe("trace context", () => {
  test.each([
    ["the known version", PARENT, { traceId: TRACE, spanId: SPAN, flags: 1 }],
    [
      "a later version with more members",
      `cc-${TRACE}-${SPAN}-01-what`,
      { traceId: TRACE, spanId: SPAN, flags: 1 },
    ],
  ])("parses %s", (_name, text, place) => {
    expect(readTraceparent(text)).toEqual(place);
  });

  test.each([
    ["version ff", `ff-${TRACE}-${SPAN}-01`],
    ["the known version with more members", `${PARENT}-x`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["capital digits", PARENT.toUpperCase()],
    ["space around it", ` ${PARENT}`],
    ["a line break", `${PARENT}\n`],
    ["a short trace", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["something endless", `cc-${TRACE}-${SPAN}-01-${"x".repeat(1_000)}`],
    ["a number", 42],
  ])("rejects %s", (_name, text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });

  test("passes on known flags only", () => {
    expect(formatTraceparent({ traceId: TRACE, spanId: SPAN, flags: 0xff })).toBe(`00-${TRACE}-${SPAN}-03`);
  });

  test.each([
    ["rojo=00f067aa0ba902b7, congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"],
    ["fw529a3039@dt=FfAA", "fw529a3039@dt=FfAA"],
    ["", undefined],
    ["a=1,a=2", undefined],
    ["A=1", undefined],
    ["a=1;b\n", undefined],
    [Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(","), undefined],
    [`a=${"1".repeat(600)}`, undefined],
  ])("tracestate %j is %j", (text, read) => {
    expect(readTracestate(text)).toBe(read);
  });

  test("`_meta` takes precedence over headers", () => {
    const headers: Record<string, string> = {
      traceparent: `00-${"1".repeat(32)}-${SPAN}-00`,
      baggage: "a=1",
    };
    const header = (name: string) => headers[name];
    expect(readTrace({ header })).toEqual({
      parent: { traceId: "1".repeat(32), spanId: SPAN, flags: 0 },
      baggage: "a=1",
    });
    expect(readTrace({ meta: { traceparent: PARENT }, header })?.parent.traceId).toBe(TRACE);
    expect(readTrace({ meta: { traceparent: "nonsense" } })).toBeUndefined();
  });
});
