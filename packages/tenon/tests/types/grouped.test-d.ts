import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type ActionMiddleware,
  aggregateAnnotations,
  createTool,
  GroupedToolBuilder,
  type Strategies,
  ToolRegistry,
} from "../../src/grouped/index.js";
import { type Call, defineServer, type ToolResult } from "../../src/index.js";
import { ToolAnnotations } from "../../src/model/index.js";
import type { McpToolDefinition } from "../../src/protocol/index.js";

interface App {
  readonly user: string;
}

const result: ToolResult = { content: [] };

describe("the arguments of an action", () => {
  test("are those of its schema, without a type argument", () => {
    createTool("t")
      .action({
        name: "zod",
        schema: z.object({
          city: z.string(),
          days: z.number().default(3),
          unit: z.enum(["C", "F"]).optional(),
        }),
        handler(_ctx, args) {
          expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; unit?: "C" | "F" | undefined }>();
        },
      })
      .action({
        name: "valibot",
        schema: toStandardJsonSchema(v.object({ city: v.string() })),
        handler: (_ctx, args) => expectTypeOf(args).toEqualTypeOf<{ city: string }>(),
      })
      .action({
        name: "arktype",
        schema: type({ city: "string" }),
        handler: (_ctx, args) => expectTypeOf(args).toEqualTypeOf<{ city: string }>(),
      });
  });

  test("are those of the common schema besides", () => {
    createTool("t")
      .commonSchema(z.object({ tenant: z.string() }))
      .action({
        name: "own",
        schema: z.object({ id: z.number() }),
        handler(_ctx, args) {
          expectTypeOf(args.tenant).toBeString();
          expectTypeOf(args.id).toBeNumber();
          // @ts-expect-error nobody declares this field
          void args.role;
        },
      })
      .action({ name: "none", handler: (_ctx, args) => expectTypeOf(args.tenant).toBeString() });
  });

  test("are the same inside a group", () => {
    createTool("t")
      .commonSchema(z.object({ tenant: z.string() }))
      .group("users", (g) =>
        g.action({
          name: "get",
          schema: z.object({ id: z.number() }),
          handler: (_ctx, args) => expectTypeOf(args).toEqualTypeOf<{ id: number } & { tenant: string }>(),
        }),
      )
      .group("billing", "Money", (g) =>
        g.action({ name: "list", handler: (_ctx, { tenant }) => expectTypeOf(tenant).toBeString() }),
      );
  });

  test("are none where nothing is declared", () => {
    createTool("t").action({
      name: "a",
      handler(_ctx, args) {
        expectTypeOf<keyof typeof args>().toBeNever();
        // @ts-expect-error nothing is declared, and nothing gets through
        void args.id;
      },
    });
  });

  test("do not know a common schema that comes later", () => {
    createTool("t")
      // @ts-expect-error set the common schema before the actions
      .action({ name: "a", handler: (_ctx, args) => String(args.tenant) })
      .commonSchema(z.object({ tenant: z.string() }));
  });

  test("keep their types through every other call of the builder", () => {
    createTool("t")
      .commonSchema(z.object({ tenant: z.string() }))
      .description("d")
      .tags("a")
      .annotations({ readOnlyHint: true })
      .discriminator("op")
      .toonDescription()
      .strict()
      .use((_ctx, _args, next) => next())
      .action({ name: "a", handler: (_ctx, { tenant }) => tenant });
  });
});

describe("an action", () => {
  const builder = createTool("t");

  test("needs a name and a handler, and takes nothing that is not known", () => {
    // @ts-expect-error the handler is missing
    builder.action({ name: "a" });
    // @ts-expect-error the name is missing
    builder.action({ handler: () => "" });
    // @ts-expect-error misspelt: destructive
    builder.action({ name: "a", destructve: true, handler: () => "" });
    // @ts-expect-error a flag is true or false
    builder.action({ name: "a", readOnly: "yes", handler: () => "" });
    // @ts-expect-error JSON Schema as data has no fields by type
    builder.action({ name: "a", schema: { type: "object" }, handler: () => "" });
  });

  test("may return a plain value, a result, or a promise of either", () => {
    builder
      .action({ name: "a", handler: () => "text" })
      .action({ name: "b", handler: async () => ({ n: 1 }) })
      .action({ name: "c", handler: () => result })
      .action({ name: "d", handler: () => undefined });
    // @ts-expect-error a symbol is no value that can be sent
    builder.action({ name: "e", handler: () => Symbol("no value") });
  });

  test("may have no call, where no server of Tenon runs it", () => {
    builder.action({
      name: "a",
      handler(_ctx, _args, call) {
        expectTypeOf(call).toEqualTypeOf<Call | undefined>();
        // @ts-expect-error it may be absent
        void call.signal;
        return call?.signal.aborted;
      },
    });
  });
});

describe("the context", () => {
  test("is given with createTool, and reaches handlers and middleware", () => {
    createTool<App>("t")
      .use((ctx, _args, next) => {
        expectTypeOf(ctx).toEqualTypeOf<App>();
        return next();
      })
      .action({ name: "a", handler: (ctx) => expectTypeOf(ctx).toEqualTypeOf<App>() });
    new GroupedToolBuilder<App>("t").group("g", (g) =>
      g
        .use((ctx, _args, next) => (ctx.user === "" ? result : next()))
        .action({ name: "a", handler: (ctx) => ctx.user }),
    );
  });

  test("is unknown unless it is named", () => {
    createTool("t").action({ name: "a", handler: (ctx) => expectTypeOf(ctx).toBeUnknown() });
  });

  test("is demanded by execute and by a registry", () => {
    const builder = createTool<App>("t").action({ name: "a", handler: ({ user }) => user });
    void builder.execute({ user: "ann" }, {});
    // @ts-expect-error the context has a user
    void builder.execute({}, {});
    const registry = new ToolRegistry<App>().register(builder);
    // @ts-expect-error the context has a user
    void registry.routeCall({}, "t", {});
    registry.attachToServer(undefined, { contextFactory: () => ({ user: "ann" }) });
    // @ts-expect-error the factory must give that context
    registry.attachToServer(undefined, { contextFactory: () => ({}) });
  });

  test("of a registry fits its tools", () => {
    const anyone = createTool("any").action({ name: "a", handler: () => "" });
    const own = createTool<App>("own").action({ name: "a", handler: ({ user }) => user });
    new ToolRegistry<App>().registerAll(anyone, own);
    // @ts-expect-error the registry has no context with a user
    new ToolRegistry<{ readonly team: string }>().register(own);
    // @ts-expect-error nor has this one
    new ToolRegistry().register(own);
  });
});

describe("middleware", () => {
  test("that loses `return next()` does not compile", () => {
    // @ts-expect-error nothing is returned
    createTool("t").use((_ctx, _args, next) => {
      void next();
    });
    // @ts-expect-error nothing is returned, later
    createTool("t").use(async (_ctx, _args, next) => {
      await next();
    });
    // @ts-expect-error one of the branches returns nothing
    const branch: ActionMiddleware = (_ctx, args, next) => {
      if (args["action"] === "a") return next();
    };
    void branch;
    createTool("t").group("g", (g) =>
      // @ts-expect-error nothing is returned
      g.use((_ctx, _args, next) => {
        void next();
      }),
    );
    // @ts-expect-error nothing is returned
    createTool("t").action({ name: "a", middleware: [() => undefined], handler: () => "" });
  });

  test("answers with a result, not with a plain value", () => {
    createTool("t").use(() => result);
    createTool("t").use(async () => result);
    // @ts-expect-error text is no result
    createTool("t").use(() => "closed");
  });

  test("for any context serves a tool that has one, and not the other way round", () => {
    const any: ActionMiddleware = (_ctx, _args, next) => next();
    const own: ActionMiddleware<App> = (_ctx, _args, next) => next();
    createTool<App>("t").use(any, own);
    // @ts-expect-error the tool has no context with a user
    createTool("t").use(own);
  });
});

describe("what is given back", () => {
  const builder = createTool("t").action({ name: "a", handler: () => "" });

  test("has its types", () => {
    expectTypeOf(builder.buildToolDefinition()).toEqualTypeOf<McpToolDefinition>();
    expectTypeOf(builder.execute(undefined, {})).toEqualTypeOf<Promise<ToolResult>>();
    expectTypeOf(builder.getActionNames()).toEqualTypeOf<readonly string[]>();
  });

  test("cannot be written to", () => {
    // @ts-expect-error a copy is for reading
    builder.getTags().push("x");
    const [metadata] = builder.getActionMetadata();
    // @ts-expect-error metadata is for reading
    if (metadata !== undefined) metadata.destructive = true;
    // @ts-expect-error definitions are for reading
    builder.buildToolDefinition().name = "x";
  });

  test("goes into a server, grouped or flat", () => {
    defineServer({ name: "s", version: "1" }).tools(builder).tools(new ToolRegistry(), { expose: "flat" });
    // @ts-expect-error there are two expositions
    defineServer({ name: "s", version: "1" }).tools(builder, { expose: "both" });
  });

  test("F12: the aggregate of the hints fits the domain model as it is", () => {
    expectTypeOf(new ToolAnnotations(aggregateAnnotations([], {}))).toEqualTypeOf<ToolAnnotations>();
  });

  test("strategies have the types of the ones that they replace", () => {
    createTool("t", { strategies: { description: ({ name }) => name } });
    // @ts-expect-error a description is text
    createTool("t", { strategies: { description: () => 1 } });
    // @ts-expect-error there is no such strategy
    createTool("t", { strategies: { colour: () => "" } });
    expectTypeOf<keyof Strategies>().toEqualTypeOf<
      "inputSchema" | "description" | "toonDescription" | "annotations" | "middleware" | "requiredFields"
    >();
  });
});
