import type { Logger } from "tenon";
import express, { type Express, type Router } from "express";
import { defineServer } from "tenon";
import type { Server as HttpServer } from "node:http";
import { McpServer } from "@tenon/sdk";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  createFileServingRouter,
  createHttpMcpRouter,
  defineToolModule,
  type ErrorBranch,
  type FileServingConfig,
  type HttpMcpRouterOptions,
  type HttpSetup,
  type ModuleExtra,
  type OutputSchemaLike,
  parseConfig,
  registerTools,
  setupHttpServer,
  type SetupHttpServerOptions,
  setupStdioServer,
  type SetupStdioServerOptions,
  setupTransport,
  type StdioSetup,
  toErrorBranch,
  type ToolContext,
  type ToolModule,
  type TransportConfig,
} from "../../src/index.js";
import type { SetupTransportOptions } from "../../src/serving/options.js";

const info = { name: "types", version: "1.0.0" };

describe("first-run-d4: the ToolModule of document 003", () => {
  // Declared as in the document: the type of the output schema says nothing about `Out`.
  type ToolHandler<In, Out, Ctx> = (args: In, extra: ModuleExtra, context: Ctx) => Promise<Out>;
  interface DocumentToolModule<In = unknown, Out = unknown, Ctx = ToolContext> {
    name: string;
    description: string;
    inputSchema: z.ZodType<In>;
    outputSchema?: OutputSchemaLike;
    handler: ToolHandler<In, Out, Ctx>;
  }
  const echo: DocumentToolModule<{ text: string }, { text: string }> = {
    name: "echo",
    description: "Says it again",
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ text: z.string() }),
    handler: async ({ text }) => ({ text }),
  };

  test("is assignable to kit's ToolModule, alone and in a list", () => {
    const one: ToolModule<{ text: string }, { text: string }> = echo;
    const tools: ToolModule[] = [one, echo];
    registerTools(defineServer(info), [echo], {});
    registerTools(defineServer(info), tools, {});
  });

  test("can be written with an untyped output schema", () => {
    const outputSchema: OutputSchemaLike = z.object({ text: z.string() });
    const module: ToolModule<{ text: string }, { text: string }> = { ...echo, outputSchema };
    expectTypeOf(module.outputSchema).toEqualTypeOf<OutputSchemaLike | undefined>();
  });

  test("can be defined inside the list", () => {
    const inputSchema = z.object({});
    registerTools(
      defineServer(info),
      [defineToolModule({ name: "t", description: "t", inputSchema, handler: () => "ok" })],
      {},
    );
  });
});

describe("first-run-d4: Express's Router", () => {
  const config: FileServingConfig = { routePrefix: "/", resourceStoreUri: "file:///srv/exports" };

  test("accepts kit's routers", () => {
    const files: Router = createFileServingRouter(config);
    const endpoint: Router = createHttpMcpRouter({ mcpServer: defineServer(info) });
    const app: Express = express();
    app.use("/exports", files);
    app.use("/mcp", endpoint);
    const parent: Router = express.Router();
    parent.use(createFileServingRouter(config));
    const build = (given: FileServingConfig): Router => createFileServingRouter(given);
    expectTypeOf(build).returns.toEqualTypeOf<Router>();
  });

  test("kit's routers have typed methods of their own", () => {
    createFileServingRouter(config)
      .use((request, _response, next) => {
        expectTypeOf(request.headers.host).toEqualTypeOf<string | undefined>();
        next();
      })
      .get("/health", (_request, response) => void response.end("ok"));
  });
});

describe("first-run-d4: options of the setup functions", () => {
  const serverFactory = () => defineServer(info);
  const logger: Logger = console;

  test("require no type argument", () => {
    const http: SetupHttpServerOptions = { serverFactory, logger, app: express(), port: 3000 };
    const stdio: SetupStdioServerOptions = { serverFactory, logger };
    const router: HttpMcpRouterOptions = { mcpServer: new McpServer(info), logger };
    const both: SetupTransportOptions = { transport: { type: "stdio" }, serverFactory };
    expectTypeOf(setupHttpServer(http)).toEqualTypeOf<Promise<HttpSetup>>();
    expectTypeOf(setupStdioServer(stdio)).toEqualTypeOf<Promise<void>>();
    void createHttpMcpRouter(router);
    void setupTransport(both);
  });

  test("require a context if the server declares one", () => {
    const withContext = () => defineServer<{ readonly db: string }>(info);
    const app = express();
    // @ts-expect-error the context is missing
    void setupHttpServer({ serverFactory: withContext, app, port: 0 });
    void setupHttpServer({ serverFactory: withContext, app, port: 0, context: { db: "x" } });
    // @ts-expect-error the context is missing
    void setupStdioServer({ serverFactory: withContext });
    void setupStdioServer({ serverFactory: withContext, context: { db: "x" } });
    // @ts-expect-error the context is missing
    createHttpMcpRouter({ serverFactory: withContext });
    createHttpMcpRouter({ serverFactory: withContext, authenticate: () => ({ context: { db: "x" } }) });
  });

  test("setupTransport takes the result of parseConfig, and returns what the transport provides", async () => {
    const config = parseConfig([], {});
    expectTypeOf(config.transport).toEqualTypeOf<TransportConfig>();
    expectTypeOf<TransportConfig>().toEqualTypeOf<
      { readonly type: "stdio" } | { readonly type: "http"; readonly port: number }
    >();
    const result = await setupTransport({ ...config, serverFactory, app: express() });
    if ("httpServer" in result) expectTypeOf(result.httpServer).toEqualTypeOf<HttpServer>();
    else expectTypeOf(result).toEqualTypeOf<StdioSetup>();
  });
});

test("first-run-d4: toErrorBranch keeps the type of the custom handler's branch", () => {
  const branch = toErrorBranch("x", ({ message }) => ({
    type: "error" as const,
    error: message,
    retryAfter: 30,
  }));
  expectTypeOf(branch).toEqualTypeOf<{ type: "error"; error: string; retryAfter: number } | ErrorBranch>();
  expectTypeOf(toErrorBranch("x")).toEqualTypeOf<ErrorBranch>();
});
