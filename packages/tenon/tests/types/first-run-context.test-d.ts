import { describe, expectTypeOf, test } from "vitest";
import { defineServer, Server, type ServerLike, type ToolMap } from "../../src/index.js";
import { createTool } from "../../src/grouped/index.js";
import {
  type Authorization,
  type ContextAuthorization,
  type HttpOptions,
  toFetch,
} from "../../src/transport/fetch/index.js";
import { createClient } from "../../src/testing/index.js";
import { type Running, serve, toNodeHandler } from "../../src/transport/node/index.js";
import { serveStdio } from "../../src/transport/stdio/index.js";

interface App {
  readonly user: string;
}

const INFO = { name: "types", version: "1.0.0" };
const context: App = { user: "ada" };
const builder = defineServer<App>(INFO).tool("who", { handler: (_args, call) => call.context.user });
const server = builder.build();
const grouped = defineServer<App>(INFO).tools(
  createTool<App>("users").action({ name: "list", handler: async () => ({ content: [] }) }),
);
const plain = defineServer(INFO).tool("hi", { handler: () => "hi" });

describe("first-run-a3: a server that declares a context", () => {
  test("cannot be served without one", () => {
    // @ts-expect-error the context is missing
    void serve(server);
    // @ts-expect-error the context is missing
    void serve(builder);
    // @ts-expect-error the context is missing
    void serve(grouped);
    // @ts-expect-error the context is missing
    void serve(builder, {});
    // @ts-expect-error the context is missing
    void serve(builder, { port: 3000 });
    // @ts-expect-error the context is undefined
    void serve(builder, { context: undefined });
    // @ts-expect-error the context has a user
    void serve(builder, { context: {} });
    // @ts-expect-error the context is missing
    serveStdio(server);
    // @ts-expect-error the context is missing
    serveStdio(builder, { signals: false });
    // @ts-expect-error the context is missing
    toNodeHandler(server);
    // @ts-expect-error the context is missing
    toNodeHandler(grouped, { allowedHosts: ["a"] });
    // @ts-expect-error the context is missing
    toFetch(builder);
    // @ts-expect-error the context is missing
    toFetch(server, {});
    // @ts-expect-error the context is missing
    void createClient(server);
    // @ts-expect-error the context is missing
    void createClient(builder, { revision: "2025-06-18" });
    // @ts-expect-error the context is missing
    void createClient(Server.builder<App>().build());
  });

  test("can be served with one", () => {
    expectTypeOf(serve(server, { context })).toEqualTypeOf<Promise<Running>>();
    void serve(builder, { context, port: 3000 });
    void serve(grouped, { context, transport: { type: "stdio" } });
    serveStdio(server, { context });
    toNodeHandler(builder, { context });
    toFetch(grouped, { context });
    void createClient(server, { context });
    void createClient(builder, { context });
  });

  test("can get it from authentication, for every accepted request", () => {
    void serve(builder, {
      port: 3000,
      authenticate: ({ header }) => {
        const user = header("x-user");
        return typeof user === "string"
          ? { auth: { principal: user, scopes: [] }, context: { user } }
          : { status: 401, message: "no" };
      },
    });
    toFetch(builder, { authenticate: async () => ({ context }) });
    const tokens: Authorization<never> = { authenticate: () => ({}), challenge: () => ({}) };
    const withUser = {
      ...tokens,
      authenticate: () => ({ auth: { principal: "ada", scopes: [] }, context }),
    };
    const declared: ContextAuthorization<App> = withUser;
    toFetch(builder, { authorization: withUser });
    toNodeHandler(builder, { authorization: declared });
    toNodeHandler(builder, { authorization: tokens, context });
    // @ts-expect-error tokens do not contain a context
    toNodeHandler(builder, { authorization: tokens });
    // @ts-expect-error the function does not return a context
    toFetch(builder, { authenticate: () => ({ auth: { principal: "ada", scopes: [] } }) });
  });

  test("still rejects unknown options", () => {
    // @ts-expect-error the option is called authorization
    toFetch(builder, { context, auth: {} });
    // @ts-expect-error the option is called authorization
    toFetch(plain, { auth: {} });
  });
});

describe("first-run-a3: a server without a context", () => {
  test("requires no options", () => {
    void serve(plain);
    void serve(plain.build(), {});
    void serve(plain, { port: 3000 });
    serveStdio(plain);
    toNodeHandler(plain);
    toFetch(plain);
    void createClient(plain);
    void createClient(defineServer<App | undefined>(INFO).build());
    // oxlint-disable-next-line typescript/no-explicit-any -- code that turned off type checks must still compile
    void createClient(defineServer<any>(INFO).build());
  });
});

describe("first-run-a3: generic code", () => {
  test("passes a context that may be absent", () => {
    const start = <Context, Tools extends ToolMap>(
      any: ServerLike<Context, Tools>,
      options: HttpOptions<Context>,
    ) => toFetch(any, { ...options, context: options.context as Context });
    void start(builder, { context });
  });
});
