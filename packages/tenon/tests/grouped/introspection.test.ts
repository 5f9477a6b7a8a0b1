import { encode } from "gpt-tokenizer";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTool } from "../../src/grouped/index.js";
import { aggregateAnnotations } from "../../src/grouped/strategies/annotation-aggregator.js";
import { ToolAnnotations } from "../../src/model/index.js";
import { mockAction } from "../support/grouped/actions.js";

const handler = () => "done";

const builder = () =>
  createTool("platform")
    .tags("core", "admin")
    .commonSchema(z.object({ tenant: z.string(), trace: z.boolean().optional() }))
    .use((_ctx, _args, next) => next())
    .group("users", "People", (g) =>
      g
        .action({ name: "list", readOnly: true, idempotent: true, handler })
        .use((_ctx, _args, next) => next())
        .action({
          name: "ban",
          description: "Lock out",
          destructive: true,
          schema: z.object({ id: z.string(), why: z.string().default("") }),
          handler,
        }),
    );

describe("builder introspection", () => {
  test("F16: returns the name, tags, and keys", () => {
    const platform = builder();
    expect(platform.getName()).toBe("platform");
    expect(platform.getTags()).toEqual(["core", "admin"]);
    expect(platform.getActionNames()).toEqual(["users.list", "users.ban"]);
  });

  test("F16, F48: returns every action's metadata", () => {
    const expected = [
      {
        key: "users.list",
        actionName: "list",
        groupName: "users",
        destructive: false,
        idempotent: true,
        readOnly: true,
        requiredFields: ["tenant"],
        hasMiddleware: false,
      },
      {
        key: "users.ban",
        actionName: "ban",
        groupName: "users",
        description: "Lock out",
        destructive: true,
        idempotent: false,
        readOnly: false,
        requiredFields: ["tenant", "id"],
        hasMiddleware: true,
      },
    ];
    const platform = builder();
    expect(platform.getActionMetadata()).toStrictEqual(expected);
    platform.buildToolDefinition();
    expect(platform.getActionMetadata()).toStrictEqual(expected);
  });

  test("F16: a flat tool's action has only its own middleware and does not have a group", () => {
    const [plain, layered] = createTool("t")
      .use((_ctx, _args, next) => next())
      .action({ name: "plain", handler })
      .action({ name: "layered", middleware: [(_ctx, _args, next) => next()], handler })
      .getActionMetadata();
    expect(plain).not.toHaveProperty("groupName");
    expect([plain?.hasMiddleware, layered?.hasMiddleware]).toEqual([false, true]);
  });

  test("F16: setting tags or hints again replaces the earlier ones", () => {
    const set = createTool("t").tags("a").tags("b", "c").annotations({ title: "1" }).annotations({});
    expect(set.getTags()).toEqual(["b", "c"]);
    expect(set.action({ name: "a", handler }).buildToolDefinition().annotations).not.toHaveProperty("title");
  });
});

describe("the preview", () => {
  const small = createTool("t").action({ name: "a", readOnly: true, handler });
  const wire = JSON.stringify(small.buildToolDefinition());

  test("F16: shows the model's definition and an estimate of its tokens", () => {
    expect(small.previewPrompt()).toBe(
      [
        "Tool: t",
        "",
        "t. Actions: a",
        "",
        "Input:",
        JSON.stringify(small.buildToolDefinition().inputSchema, undefined, 2),
        "",
        'Hints: {"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false}',
        `Tokens: about ${Math.ceil(wire.length / 4)} (${wire.length} characters of JSON)`,
      ].join("\n"),
    );
  });

  test("F16: counts with the given tokenizer", () => {
    const lines = small.previewPrompt({ countTokens: (given) => encode(given).length }).split("\n");
    expect(lines.at(-1)).toBe(`Tokens: ${encode(wire).length} (${wire.length} characters of JSON)`);
  });
});

describe("the domain model's hints", () => {
  test("F12: accept the aggregator's record", () => {
    const aggregate = aggregateAnnotations(
      [mockAction("a", { readOnly: true }), mockAction("b", { destructive: true })],
      { title: "T", openWorldHint: false, returnDirect: true },
    );
    expect(new ToolAnnotations(aggregate)).toMatchObject({
      title: "T",
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
      returnDirect: true,
    });
  });
});
