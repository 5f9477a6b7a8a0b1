import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  type ActionMiddleware,
  createTool,
  GroupedToolBuilder,
  type Strategies,
  ToolRegistry,
} from "../../src/grouped/index.js";
import { aggregateAnnotations } from "../../src/grouped/strategies/annotation-aggregator.js";
import { type Call, defineServer, type ToolResult } from "../../src/index.js";
import { ToolAnnotations } from "../../src/model/index.js";
import type { McpToolDefinition } from "../../src/protocol/index.js";

interface App {
  readonly user: string;
}

const result: ToolResult = { content: [] };

describe("an action's arguments", () => {
  test("are inferred from its schema, without a type argument", () => {
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

  test("include the common schema's fields", () => {
    createTool("t")
      .commonSchema(z.object({ tenant: z.string() }))
      .action({
        name: "own",
        schema: z.object({ id: z.number() }),
        handler(_ctx, args) {
          expectTypeOf(args.tenant).toBeString();
          expectTypeOf(args.id).toBeNumber();
          // @ts-expect-error this field is not declared
          void args.role;
        },
      })
      .action({ name: "none", handler: (_ctx, args) => expectTypeOf(args.tenant).toBeString() });
  });

  test("are inferred the same way inside a group", () => {
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

  test("are empty if nothing is declared", () => {
    createTool("t").action({
      name: "a",
      handler(_ctx, args) {
        expectTypeOf<keyof typeof args>().toBeNever();
        // @ts-expect-error nothing is declared, so no field is passed
        void args.id;
      },
    });
  });

  test("do not include a common schema that is set later", () => {
    createTool("t")
      // @ts-expect-error set the common schema before the actions
      .action({ name: "a", handler: (_ctx, args) => String(args.tenant) })
      .commonSchema(z.object({ tenant: z.string() }));
  });

  test("keep their types through every other builder method", () => {
    createTool("t")
      .commonSchema(z.object({ tenant: z.string() }))
      .description("d")
      .tags("a")
      .scopes("admin")
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

  test("needs a name and a handler, and rejects unknown members", () => {
    // @ts-expect-error the handler is missing
    builder.action({ name: "a" });
    // @ts-expect-error the name is missing
    builder.action({ handler: () => "" });
    // @ts-expect-error misspelled: destructive
    builder.action({ name: "a", destructve: true, handler: () => "" });
    // @ts-expect-error a flag must be a boolean
    builder.action({ name: "a", readOnly: "yes", handler: () => "" });
    // @ts-expect-error scopes are strings
    builder.action({ name: "a", scopes: [1], handler: () => "" });
    // @ts-expect-error a plain JSON Schema does not have typed fields
    builder.action({ name: "a", schema: { type: "object" }, handler: () => "" });
  });

  test("may return a plain value, a result, or a promise of either", () => {
    builder
      .action({ name: "a", handler: () => "text" })
      .action({ name: "b", handler: async () => ({ n: 1 }) })
      .action({ name: "c", handler: () => result })
      .action({ name: "d", handler: () => undefined });
    // @ts-expect-error a symbol cannot be sent
    builder.action({ name: "e", handler: () => Symbol("no value") });
  });

  test("may run without a call if it runs without a Tenon server", () => {
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
  test("is declared with createTool and passed to handlers and middleware", () => {
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

  test("is unknown unless it is declared", () => {
    createTool("t").action({ name: "a", handler: (ctx) => expectTypeOf(ctx).toBeUnknown() });
  });

  test("is required by execute and by a registry", () => {
    const builder = createTool<App>("t").action({ name: "a", handler: ({ user }) => user });
    void builder.execute({ user: "ann" }, {});
    // @ts-expect-error the context has a user
    void builder.execute({}, {});
    const registry = new ToolRegistry<App>().register(builder);
    // @ts-expect-error the context has a user
    void registry.routeCall({}, "t", {});
    registry.attachToServer(undefined, { contextFactory: () => ({ user: "ann" }) });
    // @ts-expect-error the factory must return that context
    registry.attachToServer(undefined, { contextFactory: () => ({}) });
  });

  test("of a registry must match its tools", () => {
    const anyone = createTool("any").action({ name: "a", handler: () => "" });
    const own = createTool<App>("own").action({ name: "a", handler: ({ user }) => user });
    new ToolRegistry<App>().registerAll(anyone, own);
    // @ts-expect-error the registry's context does not have a user
    new ToolRegistry<{ readonly team: string }>().register(own);
    // @ts-expect-error this registry's context does not have a user either
    new ToolRegistry().register(own);
  });
});

describe("middleware", () => {
  test("without `return next()` does not compile", () => {
    // @ts-expect-error nothing is returned
    createTool("t").use((_ctx, _args, next) => {
      void next();
    });
    // @ts-expect-error nothing is returned asynchronously
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

  test("returns a result, not a plain value", () => {
    createTool("t").use(() => result);
    createTool("t").use(async () => result);
    // @ts-expect-error a string is not a result
    createTool("t").use(() => "closed");
  });

  test("for any context works on a tool with a context, but not vice versa", () => {
    const any: ActionMiddleware = (_ctx, _args, next) => next();
    const own: ActionMiddleware<App> = (_ctx, _args, next) => next();
    createTool<App>("t").use(any, own);
    // @ts-expect-error the tool's context does not have a user
    createTool("t").use(own);
  });
});

describe("returned values", () => {
  const builder = createTool("t").action({ name: "a", handler: () => "" });

  test("have their types", () => {
    expectTypeOf(builder.buildToolDefinition()).toEqualTypeOf<McpToolDefinition>();
    expectTypeOf(builder.execute(undefined, {})).toEqualTypeOf<Promise<ToolResult>>();
    expectTypeOf(builder.getActionNames()).toEqualTypeOf<readonly string[]>();
  });

  test("are read-only", () => {
    // @ts-expect-error a copy is read-only
    builder.getTags().push("x");
    const [metadata] = builder.getActionMetadata();
    // @ts-expect-error metadata is read-only
    if (metadata !== undefined) metadata.destructive = true;
    // @ts-expect-error definitions are read-only
    builder.buildToolDefinition().name = "x";
  });

  test("`prepare` of a task gets the arguments of the handler", () => {
    createTool<App>("t")
      .commonSchema(z.object({ year: z.number() }))
      .action({
        name: "render",
        schema: z.object({ pages: z.string().transform(Number) }),
        task: {
          mode: "optional",
          prepare: (app, args, call) => {
            expectTypeOf(app).toEqualTypeOf<App>();
            expectTypeOf(args).toEqualTypeOf<{ pages: number } & { year: number }>();
            expectTypeOf(call).toEqualTypeOf<Call>();
          },
        },
        handler: () => "done",
      });
    createTool("t").action({ name: "a", task: "required", handler: () => "done" });
    // @ts-expect-error the mode is unknown
    createTool("t").action({ name: "a", task: "always", handler: () => "done" });
  });

  test("can be added to a server, grouped or flat", () => {
    defineServer({ name: "s", version: "1" }).tools(builder).tools(new ToolRegistry(), { expose: "flat" });
    // @ts-expect-error `expose` must be "grouped" or "flat"
    defineServer({ name: "s", version: "1" }).tools(builder, { expose: "both" });
  });

  test("F12: the aggregated hints match the domain model", () => {
    expectTypeOf(new ToolAnnotations(aggregateAnnotations([], {}))).toEqualTypeOf<ToolAnnotations>();
  });

  test("strategies have the types of those that they replace", () => {
    createTool("t", { strategies: { description: ({ name }) => name } });
    // @ts-expect-error a description must be a string
    createTool("t", { strategies: { description: () => 1 } });
    // @ts-expect-error the strategy is unknown
    createTool("t", { strategies: { color: () => "" } });
    expectTypeOf<keyof Strategies>().toEqualTypeOf<
      "inputSchema" | "description" | "toonDescription" | "annotations" | "middleware" | "requiredFields"
    >();
  });
});
