import { McpError as SdkMcpError, UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { ProtocolError } from "@modelcontextprotocol/server";
import { defineServer, extension, type LogEntry, type LogSink } from "tenon";
import type { HostedServer } from "tenon/host";
import { McpServer, ResourceTemplate } from "@tenon/sdk";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  definePromptModule,
  defineResourceModule,
  defineToolModule,
  registerPrompts,
  registerResources,
  registerTools,
} from "../../src/index.js";

/** The client of a Tenon server saw "Tool x failed" or a different code for an error of the official SDK. */

const INFO = { name: "errors", version: "1.0.0" };
const METHOD = "ledger/balance";

type Fail = () => never;

function plainServer(fail: Fail, log: LogSink): HostedServer<unknown> {
  return defineServer({ ...INFO, log })
    .tool("t", { handler: fail })
    .tool("late", { handler: async () => fail() })
    .resource("r", { uri: "a://r", handler: fail })
    .resourceTemplate("rt", { uriTemplate: "a://t/{x}", complete: { x: fail }, handler: fail })
    .prompt("p", { arguments: [{ name: "x" }], handler: fail })
    .extension(
      extension({
        id: "com.example/ledger",
        methods: { [METHOD]: { eras: ["legacy", "modern"], handler: fail } },
      }),
    )
    .build();
}

function moduleServer(fail: Fail, log: LogSink): HostedServer<unknown> {
  const tool = { description: "fails", inputSchema: z.object({}) };
  const server = defineServer({ ...INFO, log }).build();
  const run = (): string => fail();
  const late = async (): Promise<string> => fail();
  registerTools(
    server,
    [
      defineToolModule({ name: "t", ...tool, handler: run }),
      defineToolModule({ name: "late", ...tool, handler: late }),
    ],
    {},
  );
  registerResources(
    server,
    [
      defineResourceModule({ name: "r", uri: "a://r", handler: run }),
      defineResourceModule({ name: "rt", uriTemplate: "a://t/{x}", handler: run }),
    ],
    {},
  );
  registerPrompts(server, [definePromptModule({ name: "p", handler: run })], {});
  return server;
}

function facade(fail: Fail, log: LogSink): HostedServer<unknown> {
  const server = new McpServer(INFO, { exposeErrors: false, log });
  server.registerTool("t", {}, fail);
  server.registerTool("late", {}, async () => fail());
  server.registerResource("r", "a://r", {}, fail);
  server.registerResource("rt", new ResourceTemplate("a://t/{x}", { list: undefined }), {}, fail);
  server.registerPrompt("p", {}, fail);
  server.server.setRequestHandler(METHOD, fail);
  return server.build();
}

async function call(server: HostedServer<unknown>, method: string, params: object): Promise<unknown> {
  const response = await server.handle({ jsonrpc: "2.0", id: 1, method, params: { ...params } }, undefined);
  const { result, error } = JSON.parse(response.toText()) as { result?: unknown; error?: unknown };
  return result ?? error;
}

/** An error class from a bundle, where class names are shortened. */
class a extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(`MCP error ${code}: ${message}`);
    this.name = "McpError";
    this.code = code;
  }
}

const ERRORS: readonly [string, () => Error, number, unknown][] = [
  ["invalid params", () => new SdkMcpError(-32602, "no such city", { city: "x" }), -32602, { city: "x" }],
  [
    "a code of the SDK that Tenon does not use",
    () => new SdkMcpError(-32001, "no such city"),
    -32001,
    undefined,
  ],
  ["the application's own code", () => new SdkMcpError(4711, "no such city", ["x"]), 4711, ["x"]],
  ["an error of version 2", () => new ProtocolError(-32602, "no such city"), -32602, undefined],
  ["an error of a bundled copy", () => new a(-32000, "no such city"), -32000, undefined],
];

const SERVERS = [
  ["a server in code", plainServer],
  ["modules", moduleServer],
  ["the facade with exposeErrors: false", facade],
] as const;

describe.each(SERVERS)("first-run-d1: an official SDK error thrown by %s", (kind, create) => {
  describe.each(ERRORS)("%s", (_, make, code, data) => {
    const entries: LogEntry[] = [];
    const server = create(
      () => {
        throw make();
      },
      (entry) => void entries.push(entry),
    );

    test.each(["t", "late"])("keeps its code and message in the result of tool %s", async (name) => {
      expect(await call(server, "tools/call", { name, arguments: {} })).toMatchObject({
        isError: true,
        content: [{ type: "text", text: `MCP error ${code}: no such city` }],
      });
    });

    const methods: [string, object][] = [
      ["resources/read", { uri: "a://r" }],
      ["resources/read", { uri: "a://t/1" }],
      ["prompts/get", { name: "p" }],
    ];
    if (kind !== "modules") methods.push([METHOD, {}]);
    if (kind === "a server in code")
      methods.push([
        "completion/complete",
        { ref: { type: "ref/resource", uri: "a://t/{x}" }, argument: { name: "x", value: "1" } },
      ]);

    test.each(methods)("keeps its code, message, and data in the error of %s %o", async (method, params) => {
      // Like an official server, the facade sends the message unchanged. Official clients add the code otherwise.
      const message = kind.startsWith("the facade") ? make().message : "no such city";
      expect(await call(server, method, params)).toEqual({
        code,
        message,
        ...(data === undefined ? {} : { data }),
      });
    });

    test("is not logged as a failure", async () => {
      await call(server, "tools/call", { name: "t", arguments: {} });
      expect(entries.filter(({ level }) => level === "error")).toEqual([]);
    });
  });

  test("sends no stack, secret, or unlimited text", async () => {
    // The pattern of document 003 puts the stack into the data.
    const server = create(
      () => {
        const cause = new Error(`token=s3cr3tvalue ${"x".repeat(50_000)}`);
        throw new SdkMcpError(-32603, `Error: ${cause.message}`, {
          stack: cause.stack,
          deep: { stack: "at" },
        });
      },
      () => {},
    );
    for (const [method, params] of [
      ["tools/call", { name: "t" }],
      ["resources/read", { uri: "a://r" }],
      ["prompts/get", { name: "p" }],
    ] as const) {
      const reply = JSON.stringify(await call(server, method, params));
      expect(reply).toContain("Error: ");
      expect(reply).not.toMatch(/s3cr3tvalue|stack|first-run-sdk-errors/);
      expect(reply.length).toBeLessThan(3_000);
    }
  });

  test("an error that requires the user to open a URL is a JSON-RPC error with its data", async () => {
    const elicitations = [
      { mode: "url" as const, elicitationId: "1", url: "https://a.example/login", message: "Log in" },
    ];
    const server = create(
      () => {
        throw new UrlElicitationRequiredError(elicitations);
      },
      () => {},
    );
    expect(await call(server, "tools/call", { name: "t", arguments: {} })).toMatchObject({
      code: -32042,
      data: { elicitations },
    });
  });

  test("any other error with a numeric code stays hidden", async () => {
    const server = create(
      () => {
        throw Object.assign(new Error("14 UNAVAILABLE: 10.0.0.7:443 refused"), { code: 14 });
      },
      () => {},
    );
    for (const [method, params] of [
      ["tools/call", { name: "t", arguments: {} }],
      ["resources/read", { uri: "a://r" }],
      ["prompts/get", { name: "p" }],
    ] as const) {
      expect(JSON.stringify(await call(server, method, params))).not.toContain("10.0.0.7");
    }
  });
});
