import { beforeAll, describe, expect, test } from "vitest";
import { type HelloRun, runHello } from "../../tools/runtimes/run.js";

/** Timeout for the first run, which may have to install the runtimes. */
const TIMEOUT_MS = 300_000;

const serverInfo = { name: "hello", version: "1.0.0" };
const greeting = [{ type: "text", text: "Hello, Tenon!" }];
const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };

/** Responses that `tools/runtimes/hello.mjs` must print, by name. */
const REPLIES = {
  opened: {
    jsonrpc: "2.0",
    id: 1,
    result: { protocolVersion: "2025-06-18", capabilities: { tools: {}, logging: {} }, serverInfo },
  },
  called: { jsonrpc: "2.0", id: 2, result: { content: greeting } },
  stateless: { jsonrpc: "2.0", id: 3, result: { resultType: "complete", _meta, content: greeting } },
  asked: {
    jsonrpc: "2.0",
    id: 4,
    result: {
      resultType: "input_required",
      _meta,
      inputRequests: {
        who: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "Who are you?",
            requestedSchema: {
              type: "object",
              properties: { name: { type: "string" } },
              required: ["name"],
            },
          },
        },
      },
      requestState: "<sealed>",
    },
  },
  answered: { jsonrpc: "2.0", id: 5, result: { resultType: "complete", _meta, content: greeting } },
  fetched: {
    status: 200,
    type: "application/json",
    text: JSON.stringify({
      jsonrpc: "2.0",
      id: 6,
      result: { resultType: "complete", _meta, content: greeting },
    }),
  },
  streamed: {
    status: 200,
    type: "text/event-stream",
    text: [
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: 7, progress: 1, total: 1 },
      },
      {
        jsonrpc: "2.0",
        id: 7,
        result: { resultType: "complete", _meta, content: [{ type: "text", text: "counted" }] },
      },
    ]
      .map((message) => `data: ${JSON.stringify(message)}\n\n`)
      .join(""),
  },
};

describe("the root entry and toFetch on each runtime", () => {
  let node: HelloRun;

  beforeAll(async () => {
    node = await runHello("node");
  }, TIMEOUT_MS);

  test("R1: Node.js serves both eras and a two-round elicitation, and toFetch responds with JSON and a stream", () => {
    expect(JSON.parse(repliesOf(node))).toEqual(REPLIES);
  });

  test.for(["bun", "deno", "workerd"] as const)(
    "R1: %s sends exactly the same responses as Node.js",
    { timeout: TIMEOUT_MS },
    async (runtime, ctx) => {
      const run = await runHello(runtime);
      if (run.kind === "left-out") {
        process.stderr.write(`Skipped ${runtime}: ${run.reason}\n`);
        ctx.skip(run.reason);
      }
      const replies = repliesOf(run);
      expect(JSON.parse(replies)).toEqual(REPLIES);
      expect(replies).toBe(repliesOf(node));
    },
  );
});

/** Returns the printed responses. The encrypted state differs in every run, so it is replaced. */
function repliesOf(run: HelloRun): string {
  if (run.kind === "left-out") throw new Error(`Skipped ${run.runtime}: ${run.reason}`);
  if (!run.ok) throw new Error(`${run.runtime} ${run.version} failed: ${run.output}`);
  return run.output.replace(/"requestState":"[\w-]{100,}"/, '"requestState":"<sealed>"');
}
