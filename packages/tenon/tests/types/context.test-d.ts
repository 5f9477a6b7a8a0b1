import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type Call,
  defineServer,
  type JsonRpcRequest,
  type McpResponse,
  type Middleware,
  type Operation,
  type OperationResult,
  Server,
} from "../../src/index.js";
import { createClient } from "../../src/testing/index.js";

interface App {
  readonly user: string;
}

const builder = defineServer<App>({ name: "types", version: "1.0.0" });
const ping: JsonRpcRequest = { jsonrpc: "2.0", id: 1, method: "ping" };

describe("the application's context", () => {
  test("is passed to every kind of handler", () => {
    builder
      .tool("t", {
        input: z.object({ city: z.string() }),
        handler(args, call) {
          expectTypeOf(args).toEqualTypeOf<{ city: string }>();
          expectTypeOf(call).toEqualTypeOf<Call<App>>();
          expectTypeOf(call.context).toEqualTypeOf<App>();
          return call.context.user;
        },
      })
      .resource("r", {
        uri: "a://b",
        handler(uri, call) {
          expectTypeOf(uri).toBeString();
          expectTypeOf(call.context).toEqualTypeOf<App>();
          return call.context.user;
        },
      })
      .resourceTemplate("rt", {
        uriTemplate: "a://{b}",
        handler(_variables, call) {
          expectTypeOf(call.context).toEqualTypeOf<App>();
          return call.context.user;
        },
      })
      .prompt("p", {
        handler(_args, call) {
          expectTypeOf(call.context).toEqualTypeOf<App>();
          return call.context.user;
        },
      });
  });

  test("is passed to middleware", () => {
    builder.use((operation, next) => {
      expectTypeOf(operation).toEqualTypeOf<Operation<App>>();
      expectTypeOf(operation.call.context).toEqualTypeOf<App>();
      expectTypeOf(operation.args).toBeUnknown();
      return next();
    });
  });

  test("is passed to handlers that are added by an update or later by name", () => {
    const server = builder.build();
    server.update((editor) =>
      editor.tool("later", { handler: (_args, call) => expectTypeOf(call.context).toEqualTypeOf<App>() }),
    );
    server.handleTool("declared", {
      call(_args, context) {
        expectTypeOf(context).toEqualTypeOf<App>();
        return { content: [] };
      },
    });
  });

  test("is required by handle", () => {
    const server = builder.build();
    expectTypeOf(server.handle(ping, { user: "ann" })).toEqualTypeOf<McpResponse | Promise<McpResponse>>();
    // @ts-expect-error the context has a user
    void server.handle(ping, {});
    // @ts-expect-error the context is missing
    void server.handle(ping);
    // @ts-expect-error the user must be a string
    void server.handle(ping, { user: 1 });
  });

  test("is passed by an in-memory client", async () => {
    await createClient(builder.build(), { context: { user: "ann" } });
    // @ts-expect-error the context has a user
    await createClient(builder.build(), { context: { name: "ann" } });
  });

  test("is unknown unless it is declared", () => {
    defineServer({ name: "types", version: "1.0.0" }).tool("t", {
      handler: (_args, call) => expectTypeOf(call.context).toBeUnknown(),
    });
    Server.builder<App>().tool("t", {
      handler: (_args, call) => expectTypeOf(call.context).toEqualTypeOf<App>(),
    });
  });

  test("keeps the tools' types", async () => {
    const client = await createClient(
      builder.tool("forecast", { input: z.object({ city: z.string() }), handler: ({ city }) => city }),
      { context: { user: "ann" } },
    );
    await client.callTool("forecast", { city: "Riga" });
    // @ts-expect-error city must be a string
    await client.callTool("forecast", { city: 1 });
  });
});

describe("middleware", () => {
  test("returns the operation's result", () => {
    const timing: Middleware = async function timing(operation, next) {
      expectTypeOf(operation.kind).toEqualTypeOf<"tool" | "resource" | "prompt">();
      const result = await next();
      expectTypeOf(result).toEqualTypeOf<OperationResult>();
      return result;
    };
    builder.use(timing);
  });

  test("without return next() does not compile", () => {
    // @ts-expect-error nothing is returned
    builder.use((_operation, next) => {
      void next();
    });
    // @ts-expect-error nothing is returned asynchronously
    builder.use(async (_operation, next) => {
      await next();
    });
    // @ts-expect-error one of the branches returns nothing
    const branch: Middleware = (operation, next) => {
      if (operation.kind === "tool") return next();
    };
    void branch;
  });

  test("may return its own result", () => {
    builder.use(() => ({ content: [{ type: "text", text: "closed" }] }));
    // @ts-expect-error a string is not a result
    builder.use(() => "closed");
  });

  test("for any context works on a server with a context, but not vice versa", () => {
    const any: Middleware = (_operation, next) => next();
    const own: Middleware<App> = (_operation, next) => next();
    builder.use(any, own);
    // @ts-expect-error the server's context does not have a user
    defineServer({ name: "types", version: "1.0.0" }).use(own);
  });
});
