import { describe, expect, test } from "vitest";
import { createLogger } from "../../src/logging/logger.js";
import { McpServer } from "../../../sdk/src/v1/mcp-server.js";
import { standard } from "../../src/standard.js";
import { defineServer } from "../../../tenon/src/core/define-server.js";
import type { HostedServer } from "tenon/host";
import { HOSTILE_RESULTS, HOSTILE_THROWN } from "../../../../tests/support/hostile-values.js";
import { exchangeOf, handle, modernRequest, request } from "../../../../tests/support/requests.js";

/** Middleware that observed a call or mapped its error caused an unhandled rejection, and Node exited. */

const TEXT = { content: [{ type: "text", text: "fine" }] };
const CASES: readonly (readonly [string, () => unknown])[] = [
  ...Object.entries(HOSTILE_RESULTS).map(([name, make]) => [name, () => make(TEXT)] as const),
  ...Object.entries(HOSTILE_THROWN).map(
    ([name, make]) =>
      [
        `thrown: ${name}`,
        () => {
          throw make();
        },
      ] as const,
  ),
];

/** Collects the replies to a tool and a custom method, synchronous and asynchronous, in both eras. */
async function repliesOf(serve: (give: () => unknown) => HostedServer<unknown>, methods: readonly string[]) {
  const replies: { readonly label: string; readonly reply: unknown }[] = [];
  for (const [name, give] of CASES) {
    for (const handler of [give, async () => give()]) {
      const server = serve(handler);
      for (const method of methods) {
        const params = { name: "t" };
        const legacy = await handle(server, request(method, params, 7), exchangeOf({ era: "legacy" }));
        const modern = await handle(server, modernRequest(method, params, 7), exchangeOf());
        replies.push({ label: `${method}, ${name}, legacy`, reply: JSON.parse(legacy.toText()) });
        replies.push({ label: `${method}, ${name}, modern`, reply: JSON.parse(modern.toText()) });
      }
    }
  }
  // Unhandled rejections are detected once the microtask queue is empty.
  await new Promise((resolve) => setImmediate(resolve));
  return replies;
}

function expectFailures(replies: readonly { readonly label: string; readonly reply: unknown }[]): void {
  expect(replies.length).toBeGreaterThan(0);
  for (const { label, reply } of replies) {
    expect.soft(reply, label).toMatchObject({ jsonrpc: "2.0", id: 7 });
    const { result, error } = reply as { result?: { isError?: boolean }; error?: { message: unknown } };
    expect.soft(result?.isError === true || typeof error?.message === "string", label).toBe(true);
  }
}

describe("hostile results and thrown values", () => {
  test("in the standard middleware", async () => {
    const logger = await createLogger({ level: "debug", destination: { write: () => undefined } });
    const replies = await repliesOf(
      (give) =>
        defineServer({ name: "a", version: "1" })
          .use(standard({ logger }))
          .tool("t", { handler: give as () => object })
          .build(),
      ["tools/call"],
    );
    expectFailures(replies);
  });

  test.each([true, false])("in McpServer, with errors exposed: %s", async (exposeErrors) => {
    const replies = await repliesOf(
      (give) => {
        const server = new McpServer({ name: "a", version: "1" }, { exposeErrors });
        server.registerTool("t", {}, give as never);
        server.registerPrompt("t", {}, give as never);
        return server.build();
      },
      ["tools/call", "prompts/get"],
    );
    expectFailures(replies);
  });

  test("in a custom method of an McpServer", async () => {
    const replies = await repliesOf(
      (give) => {
        const server = new McpServer({ name: "a", version: "1" });
        server.server.setRequestHandler("own/run", give);
        return server.build();
      },
      ["own/run"],
    );
    expect(replies.length).toBeGreaterThan(0);
    for (const { label, reply } of replies) expect.soft(reply, label).toMatchObject({ id: 7 });
  });
});
