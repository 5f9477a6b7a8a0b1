import { describe, expect, test } from "vitest";
import { defineServer } from "../../src/core/define-server.js";
import { extension } from "../../src/core/definitions/extension.js";
import type { LogEntry } from "../../src/core/wire/log.js";
import type { Middleware } from "../../src/core/call/middleware.js";
import type { Server } from "../../src/core/server.js";
import { createTool } from "../../src/grouped/index.js";
import { type JsonObject, type JsonRpcResponse, McpError } from "../../src/protocol/index.js";
import { z } from "zod";
import {
  HOSTILE_DETAILS,
  HOSTILE_RESULTS,
  HOSTILE_THROWN,
  toThenable,
} from "../../../../tests/support/hostile-values.js";
import { exchangeOf, handle, modernRequest, request } from "../../../../tests/support/requests.js";

/**
 * A result that did not serialize to an object broke the frame, and an unreadable thrown value ended the process.
 */

type Give = () => unknown;

const TEXT = { content: [{ type: "text", text: "fine" }] };
const THROUGH: Middleware = async (_operation, next) => next();

/** Every place where a handler's value becomes a reply: the server, the request, a valid result, and the failure. */
const KINDS = {
  tool: {
    base: TEXT,
    serve: (give: Give) => defining().tool("t", { handler: give as () => object }),
    ask: ["tools/call", { name: "t" }],
    failure: failedTool("Tool t failed"),
  },
  "tool behind middleware": {
    base: TEXT,
    serve: (give: Give) =>
      defining()
        .use(THROUGH)
        .tool("t", { handler: give as () => object }),
    ask: ["tools/call", { name: "t" }],
    failure: failedTool("Tool t failed"),
  },
  "tool with an output schema": {
    base: { ...TEXT, structuredContent: { a: 1 } },
    serve: (give: Give) =>
      defining().tool("t", { output: z.looseObject({}), handler: give as () => { a: number } }),
    ask: ["tools/call", { name: "t" }],
    failure: failedTool("Tool t failed"),
  },
  middleware: {
    base: TEXT,
    serve: (give: Give) =>
      defining()
        .use(give as Middleware)
        .tool("t", { handler: () => "fine" }),
    ask: ["tools/call", { name: "t" }],
    failure: failedTool("Tool t failed"),
  },
  "grouped tool": {
    base: TEXT,
    serve: (give: Give) => defining().tools(grouped(give)),
    ask: ["tools/call", { name: "g", arguments: { action: "run" } }],
    failure: failedTool(/^(?:Tool g|\[g\/run\]) failed$/),
  },
  resource: {
    base: { contents: [{ uri: "a://b", text: "fine" }] },
    serve: (give: Give) => defining().resource("r", { uri: "a://b", handler: give as () => string }),
    ask: ["resources/read", { uri: "a://b" }],
    failure: internalError(),
  },
  "resource template": {
    base: { contents: [{ uri: "a://b/c", text: "fine" }] },
    serve: (give: Give) =>
      defining().resourceTemplate("f", { uriTemplate: "a://b/{c}", handler: give as () => string }),
    ask: ["resources/read", { uri: "a://b/c" }],
    failure: internalError(),
  },
  prompt: {
    base: { messages: [{ role: "user", content: { type: "text", text: "fine" } }] },
    serve: (give: Give) => defining().prompt("p", { handler: give as () => string }),
    ask: ["prompts/get", { name: "p" }],
    failure: internalError(),
  },
  completion: {
    base: { values: ["fine"] },
    serve: (give: Give) =>
      defining().prompt("p", {
        arguments: [{ name: "a" }],
        complete: { a: give as () => string[] },
        handler: () => "fine",
      }),
    ask: [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
    ],
    failure: internalError(),
  },
  "extension method": {
    base: { a: 1 },
    serve: (give: Give) =>
      defining().extension(
        extension({
          id: "a.example/b",
          methods: { "b/run": { eras: ["legacy", "modern"], handler: give as () => JsonObject } },
        }),
      ),
    ask: ["b/run", {}],
    failure: internalError(),
  },
} as const satisfies Record<string, Kind>;

interface Kind {
  readonly base: object;
  readonly serve: (give: Give) => { build(): Server };
  readonly ask: readonly [method: string, params: JsonObject];
  readonly failure: object;
}

const ERAS = ["2024-11-05", "2025-11-25", "modern"] as const;
const CASES = ERAS.flatMap((era) =>
  Object.keys(KINDS).map((kind) => [kind as keyof typeof KINDS, era] as const),
);

describe.each(CASES)("a %s in %s", (kind, era) => {
  const { base, serve, ask, failure }: Kind = KINDS[kind];
  const reply = (give: Give) => askIn(era, serve(give).build(), ask);

  test("returns a valid result that is given synchronously, as a promise, or as a thenable", async () => {
    const thenable = toThenable((resolve) => {
      resolve(base);
    });
    // `await` does not read the `then` of a native promise.
    const odd = Object.assign(
      Promise.resolve(base),
      toThenable(() => undefined),
    );
    for (const give of [() => base, async () => base, () => thenable, () => odd]) {
      expect(await reply(give)).toMatchObject({ id: 7, result: {} });
    }
  });

  test("fails for every hostile result, synchronous or asynchronous", async () => {
    for (const [name, make] of Object.entries(HOSTILE_RESULTS)) {
      expect.soft(await reply(() => make(base)), name).toMatchObject(failure);
      expect.soft(await reply(async () => make(base)), `${name}, later`).toMatchObject(failure);
    }
  });

  test("fails for every hostile thrown value, synchronous or asynchronous", async () => {
    for (const [name, make] of Object.entries(HOSTILE_THROWN)) {
      const sync = () => {
        throw make();
      };
      expect.soft(await reply(sync), name).toMatchObject(failure);
      expect.soft(await reply(async () => sync()), `${name}, later`).toMatchObject(failure);
    }
  });

  test("sends an McpError without details that cannot be serialized", async () => {
    for (const [name, details] of Object.entries(HOSTILE_DETAILS)) {
      const refused = await reply(() => {
        throw new McpError("NOT_FOUND", "No such thing", details as JsonObject);
      });
      expect.soft(JSON.stringify(refused), name).toContain("No such thing");
    }
  });
});

test.each(ERAS)("a result's toJSON determines the sent value, in %s", async (era) => {
  const toJSON = () => ({ content: [{ type: "text", text: "from toJSON" }], _meta: { own: true } });
  const server = defining()
    .tool("t", { handler: () => ({ ...TEXT, toJSON }) })
    .build();
  const response = await responseIn(era, server, ["tools/call", { name: "t" }]);
  expect(response.intoJsonRpc()?.result).toMatchObject(toJSON());
  expect(response.toText().split('"_meta"')).toHaveLength(2);
});

test("a block whose text changes between two reads is sent as first read", async () => {
  let reads = 0;
  const block = { type: "text" } as { readonly type: "text"; readonly text: string };
  Object.defineProperty(block, "text", { enumerable: true, get: () => (reads++ < 2 ? "x" : undefined) });
  const server = defining()
    .tool("t", { handler: () => ({ content: [block] }) })
    .build();
  for (const era of ERAS) {
    reads = 0;
    expect(await askIn(era, server, ["tools/call", { name: "t" }])).toMatchObject({ id: 7 });
  }
});

test("a value that cannot be sent is logged, and exposed only as text", async () => {
  const entries: LogEntry[] = [];
  const server = defineServer({
    name: "a",
    version: "1",
    log: (entry) => entries.push(entry),
    exposeErrors: true,
  })
    .tool("t", { handler: () => ({ ...TEXT, toJSON: () => undefined }) })
    .tool("u", {
      handler: () => {
        throw Object.assign(new Error("hidden"), { message: 7 });
      },
    })
    .build();
  expect(await askIn("modern", server, ["tools/call", { name: "t" }])).toMatchObject(
    failedTool(
      'Tool "t": the result cannot be serialized to JSON: The handler\'s result must serialize to a JSON object.',
    ),
  );
  expect(await askIn("modern", server, ["tools/call", { name: "u" }])).toMatchObject(
    failedTool("Tool u failed"),
  );
  expect(entries).toMatchObject([
    { event: "output-invalid", name: "t" },
    { event: "handler-failed", name: "u" },
  ]);
});

test("a log sink that rejects does not end the process", async () => {
  const server = defineServer({
    name: "a",
    version: "1",
    log: async () => Promise.reject(new Error("disk full")),
  })
    .tool("t", {
      handler: () => {
        throw new Error("hidden");
      },
    })
    .build();
  expect(await askIn("modern", server, ["tools/call", { name: "t" }])).toMatchObject(
    failedTool("Tool t failed"),
  );
});

test("a call whose thenable never settles can be cancelled, and is then no longer in flight", async () => {
  const exchange = exchangeOf({ era: "legacy" });
  const server = defining()
    .use((() => toThenable(() => undefined)) as unknown as Middleware)
    .tool("t", { handler: () => "fine" })
    .build();
  const never = server.handle(request("tools/call", { name: "t" }, 7), undefined, exchange);
  expect(exchange.connection.callsInFlight).toBe(1);
  exchange.connection.cancel(7, undefined);
  expect((await never).isEmpty()).toBe(true);
  expect(exchange.connection.callsInFlight).toBe(0);
});

describe("a grouped tool without a server", () => {
  test.each(Object.entries(HOSTILE_THROWN))("responds after a thrown value: %s", async (_, make) => {
    const [tool] = grouped(() => {
      throw make();
    }).getCallableTools();
    const result = await tool?.execute(undefined, { action: "run" });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(/^\[g\/run\] /) }],
    });
  });
});

function defining() {
  return defineServer({ name: "a", version: "1" });
}

function grouped(give: Give) {
  return createTool("g").action({ name: "run", handler: give as () => object });
}

async function responseIn(era: (typeof ERAS)[number], server: Server, [method, params]: Kind["ask"]) {
  if (era === "modern") return handle(server, modernRequest(method, params, 7), exchangeOf());
  return handle(server, request(method, params, 7), exchangeOf({ era: "legacy", revision: era }));
}

async function askIn(era: (typeof ERAS)[number], server: Server, ask: Kind["ask"]): Promise<JsonRpcResponse> {
  const response = await responseIn(era, server, ask);
  const reply = JSON.parse(response.toText()) as JsonRpcResponse;
  expect(reply).toMatchObject({ jsonrpc: "2.0", id: 7 });
  return reply;
}

function failedTool(text: string | RegExp) {
  return {
    result: {
      isError: true,
      content: [{ type: "text", text: typeof text === "string" ? text : expect.stringMatching(text) }],
    },
  };
}

function internalError() {
  return { error: { code: -32603, message: "Internal error" } };
}
