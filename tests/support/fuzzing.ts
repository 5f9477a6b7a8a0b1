/**
 * @fileoverview Hostile frames, a server that receives them, and the invariants that must hold.
 * @module tests/support/fuzzing
 */
import * as fc from "fast-check";
import { z } from "zod";
import { defineServer, extension, form, McpError } from "tenon";
import { receive, replyText } from "tenon/host";
import { Connection } from "../../packages/tenon/src/core/wire/connection.js";
import type { Exchange } from "../../packages/tenon/src/core/wire/exchange.js";
import { DEFAULT_LIMITS, messageKind, META, METHODS, parseFrame, REVISIONS, TRAITS } from "tenon/protocol";

/** Text that the server must never send. */
const SECRET = "hunter2-secret";

/** Creates a server with every kind of definition, and with handlers that fail in every possible way. */
export function createFuzzTarget() {
  const broken = () => {
    throw new Error(SECRET);
  };
  return defineServer({ name: "target", version: "1", pageSize: 3 })
    .tool("typed", {
      input: z.object({ city: z.string(), n: z.number().optional() }),
      handler: ({ city }) => city,
    })
    .tool("structured", { output: z.array(z.string()), handler: () => ["a"] })
    .tool("later", { handler: async () => "later" })
    .tool("broken", { handler: broken })
    .tool("rejected", { handler: () => Promise.reject(new Error(SECRET)) })
    .tool("told", { handler: () => new McpError("CONFLICT", "told", { n: 1n }) as never })
    .tool("asks", {
      handler: async (_args, call) => {
        const answer = await call.input(
          "name",
          form({ message: "?", schema: z.object({ name: z.string() }) }),
        );
        return answer.action;
      },
    })
    .tools([
      { name: "declared", inputSchema: { type: "object", required: ["a"], dependencies: { a: ["b"] } } },
    ])
    .resource("fixed", { uri: "doc://fixed", handler: () => new Uint8Array([1, 2, 3]) })
    .resource("broken", { uri: "doc://broken", handler: broken })
    .resourceTemplate("family", {
      uriTemplate: "doc://{a}/{+b}{?c}",
      handler: ({ a, b, c }) => `${a}${b}${c}`,
    })
    .prompt("prompt", {
      arguments: z.object({ x: z.string() }),
      complete: { x: () => ["1"] },
      handler: ({ x }) => x,
    })
    .extension(
      extension({
        id: "a.b/c",
        methods: { "c/d": { eras: ["legacy", "modern"], handler: (params) => params } },
      }),
    )
    .build();
}

const NAMES = [
  "typed",
  "structured",
  "later",
  "broken",
  "rejected",
  "told",
  "asks",
  "declared",
  "fixed",
  "prompt",
  "__proto__",
  "constructor",
  "toString",
  "",
];
const URIS = [
  "doc://fixed",
  "doc://broken",
  "doc://a/b/c?c=1",
  "doc://%zz/x",
  `doc://${"a/".repeat(500)}`,
  "nonsense",
];

const hostileKey = fc.oneof(
  fc.constantFrom(
    "name",
    "uri",
    "arguments",
    "cursor",
    "ref",
    "argument",
    "level",
    "requestState",
    "inputResponses",
    "notifications",
    "_meta",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "requestId",
    "protocolVersion",
    "capabilities",
  ),
  fc.string({ maxLength: 8 }),
);
const hostileScalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1e308,
    2 ** 53,
    0.1,
    "",
    "\u0000",
    "💥",
    "\ud800",
    "a".repeat(2000),
  ),
  fc.constantFrom(...NAMES, ...URIS),
  fc.string({ maxLength: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { hostile } = fc.letrec<{ hostile: unknown }>((tie) => ({
  hostile: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { arbitrary: hostileScalar, weight: 5 },
    { arbitrary: fc.array(tie("hostile"), { maxLength: 3 }), weight: 1 },
    {
      arbitrary: fc.dictionary(hostileKey, tie("hostile"), { maxKeys: 4, noNullPrototype: true }),
      weight: 3,
    },
  ),
}));
const envelope = fc.record(
  {
    [META.protocolVersion]: fc.oneof(
      { arbitrary: fc.constant<unknown>("2026-07-28"), weight: 6 },
      { arbitrary: hostile, weight: 1 },
    ),
    [META.clientCapabilities]: fc.oneof(
      {
        arbitrary: fc.constantFrom<unknown>(
          {},
          { elicitation: {} },
          { elicitation: { form: {} }, roots: {} },
        ),
        weight: 6,
      },
      { arbitrary: hostile, weight: 1 },
    ),
    [META.logLevel]: fc.constantFrom<unknown>("debug", "loud", 3),
    progressToken: fc.oneof(fc.integer(), hostile),
  },
  { requiredKeys: [] },
);
const params = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        name: fc.oneof(fc.constantFrom<unknown>(...NAMES), hostile),
        uri: fc.oneof(fc.constantFrom<unknown>(...URIS), hostile),
        arguments: fc.oneof(fc.constantFrom<unknown>({ city: "Riga" }, { a: 1, b: 2 }, { x: "1" }), hostile),
        ref: fc.oneof(
          fc.constantFrom<unknown>(
            { type: "ref/prompt", name: "prompt" },
            { type: "ref/resource", uri: "doc://{a}/{+b}{?c}" },
          ),
          hostile,
        ),
        argument: fc.oneof(
          fc.constantFrom<unknown>({ name: "x", value: "" }, { name: "__proto__", value: "" }),
          hostile,
        ),
        cursor: hostile,
        level: fc.oneof(fc.constantFrom<unknown>("debug", "error"), hostile),
        protocolVersion: fc.oneof(fc.constantFrom<unknown>(...REVISIONS), hostile),
        capabilities: hostile,
        clientInfo: hostile,
        requestState: hostile,
        inputResponses: fc.oneof(
          fc.constantFrom<unknown>({ name: { action: "accept", content: { name: "a" } } }),
          hostile,
        ),
        notifications: fc.constantFrom<unknown>(3, { resourceSubscriptions: 3 }, null),
        requestId: hostile,
        _meta: fc.oneof(envelope, hostile),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: hostile },
);
const methodName = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom<unknown>(
      ...METHODS.legacy,
      ...METHODS.modern.filter((name) => name !== "subscriptions/listen"),
      "c/d",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      "notifications/initialized",
      "notifications/cancelled",
      "notifications/x",
      "__proto__",
      "constructor",
    ),
  },
  { weight: 1, arbitrary: hostile },
);
const message = fc.record(
  {
    jsonrpc: fc.oneof(
      { weight: 20, arbitrary: fc.constant<unknown>("2.0") },
      { weight: 1, arbitrary: hostile },
    ),
    id: fc.oneof(
      { weight: 8, arbitrary: fc.oneof(fc.integer(), fc.string({ maxLength: 6 })) },
      { weight: 1, arbitrary: hostile },
    ),
    method: methodName,
    params,
    result: hostile,
    error: hostile,
  },
  { requiredKeys: ["jsonrpc"] },
);

/** Generates requests whose envelope is valid, so that they reach the handlers. */
const plausible = fc.record({
  jsonrpc: fc.constant("2.0"),
  id: fc.oneof(fc.integer(), fc.string({ maxLength: 6 })),
  method: fc.constantFrom(
    "tools/call",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "tools/list",
    "c/d",
  ),
  params: fc.record(
    {
      name: fc.constantFrom(...NAMES),
      uri: fc.constantFrom(...URIS),
      arguments: fc.oneof(
        fc.constantFrom<unknown>({ city: "Riga" }, { city: 3 }, { a: 1, b: 2 }, { a: 1 }, { x: "1" }),
        fc.dictionary(hostileKey, hostile, { maxKeys: 3, noNullPrototype: true }),
      ),
      ref: fc.constantFrom(
        { type: "ref/prompt", name: "prompt" },
        { type: "ref/resource", uri: "doc://{a}/{+b}{?c}" },
      ),
      argument: fc.constantFrom({ name: "x", value: "" }, { name: "__proto__", value: "" }),
      inputResponses: fc.dictionary(fc.constantFrom("name", "__proto__", "x"), hostile, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      requestState: fc.oneof(fc.base64String({ maxLength: 80 }), fc.string({ maxLength: 10 })),
      _meta: fc.record(
        {
          [META.protocolVersion]: fc.constant("2026-07-28"),
          [META.clientCapabilities]: fc.constantFrom(
            {},
            { elicitation: {} },
            { elicitation: { form: {} }, roots: {} },
          ),
          progressToken: fc.oneof(fc.integer(), fc.string({ maxLength: 4 })),
        },
        { requiredKeys: [META.protocolVersion, META.clientCapabilities] },
      ),
    },
    { requiredKeys: ["name", "ref", "argument", "_meta"] },
  ),
});

/** Generates text from a hostile client: messages, batches, any JSON, broken JSON, and unbalanced brackets. */
export const hostileFrame: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: plausible.map((value) => JSON.stringify(value)) },
  { weight: 8, arbitrary: message.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(plausible, message, hostile), { maxLength: 5 })
      .map((batch) => JSON.stringify(batch)),
  },
  { weight: 1, arbitrary: hostile.map((value) => JSON.stringify(value)) },
  {
    weight: 2,
    arbitrary: fc.tuple(message, fc.nat()).map(([value, cut]) => {
      const text = JSON.stringify(value);
      return text.slice(0, cut % text.length);
    }),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 300 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  },
  {
    weight: 1,
    arbitrary: message.map((value) =>
      JSON.stringify(value).replaceAll("name", "\\u006eame").replaceAll("__proto__", "\\u005f_proto__"),
    ),
  },
);

/** Generates the connection's state before the frame: no connection, no era yet, or one of the revisions. */
export const wireState = fc.constantFrom(undefined, "unpinned" as const, ...REVISIONS);

/** Sends a frame and checks every invariant. @throws with the violated invariant in the message */
export async function throwFrame(
  server: ReturnType<typeof createFuzzTarget>,
  frame: string,
  state: (typeof REVISIONS)[number] | "unpinned" | undefined,
): Promise<void> {
  const connection = new Connection(
    state === undefined || state === "unpinned" ? {} : { era: TRAITS[state].era, revision: state },
  );
  const sent: string[] = [];
  const exchange: Exchange | undefined =
    state === undefined
      ? undefined
      : { connection, notify: (notification) => void sent.push(JSON.stringify(notification)) };
  const text = replyText(await receive(server, frame, { context: undefined, exchange }));
  const replies = text === "" ? [] : [JSON.parse(text) as unknown].flat();
  check(!`${text}${sent.join("")}`.includes(SECRET), "A secret leaked.");
  check(!/\bat .+\.(ts|js):\d+/.test(text), "A stack trace leaked.");
  check(connection.callsInFlight === 0, "A call is still in flight.");
  check(Object.keys(Object.prototype).length === 0, "Object.prototype was modified.");

  const parsed = parseFrame(frame, DEFAULT_LIMITS);
  const messages = parsed.ok && Array.isArray(parsed.value) ? (parsed.value as unknown[]) : undefined;
  const takesBatch = state === undefined || (state !== "unpinned" && TRAITS[state].batches);
  if (!parsed.ok || (messages !== undefined && (!takesBatch || messages.length === 0))) {
    check(replies.length === 1, "A rejected frame must receive exactly one response.");
    return;
  }
  const expected = (messages ?? [parsed.value]).filter((one) =>
    ["request", "invalid"].includes(messageKind(one)),
  );
  check(replies.length === expected.length, `Expected ${expected.length} responses; got ${replies.length}.`);
  for (const [index, one] of expected.entries()) {
    if (messageKind(one) !== "request") continue;
    check(
      (replies[index] as { id: unknown }).id === (one as { id: unknown }).id,
      "A response has an unexpected ID.",
    );
  }
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
