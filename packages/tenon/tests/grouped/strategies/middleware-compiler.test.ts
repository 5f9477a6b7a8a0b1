import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActionMiddleware } from "../../../src/grouped/actions/action.js";
import {
  compileMiddlewareChains,
  type MiddlewareCompiler,
} from "../../../src/grouped/strategies/middleware-compiler.js";
import type { JsonObject } from "../../../src/protocol/index.js";
import { deepFreeze, mockAction } from "../../support/grouped/actions.js";

const compile: MiddlewareCompiler = compileMiddlewareChains;
type Trace = string[];

/** Records when it is entered and left. */
const layer =
  (name: string): ActionMiddleware<Trace> =>
  async (trace, _args, next) => {
    trace.push(name);
    const result = await next();
    trace.push(`${name} left`);
    return result;
  };
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const handler = (trace: Trace, args: JsonObject) => {
  trace.push("handler");
  return text(JSON.stringify(args));
};
/** Typed actions whose context is the trace. `mockAction` creates actions with any context. */
const action = (key: string, middleware: readonly ActionMiddleware<Trace>[] = []) => ({
  ...mockAction(key),
  handler,
  middleware,
});

describe("the chains", () => {
  test("F43–F45: Global MW 1 → Global MW 2 → Group MW → handler", async () => {
    const actions = [action("users.create", [layer("Group MW")]), action("users.list")];
    const chains = compile(actions, [layer("Global MW 1"), layer("Global MW 2")]);
    expect([...chains.keys()]).toEqual(["users.create", "users.list"]);
    const trace: Trace = [];
    expect(await chains.get("users.create")?.(trace, { id: 1 })).toEqual(text('{"id":1}'));
    expect(trace.slice(0, 4).join(" → ")).toBe("Global MW 1 → Global MW 2 → Group MW → handler");
    expect(trace.slice(4)).toEqual(["Group MW left", "Global MW 2 left", "Global MW 1 left"]);
    const other: Trace = [];
    await chains.get("users.list")?.(other, {});
    expect(other.slice(0, 3)).toEqual(["Global MW 1", "Global MW 2", "handler"]);
  });

  test("F44: without middleware, the chain is the handler itself and stays synchronous", () => {
    const chain = compile([action("a")], []).get("a");
    expect(chain).toBe(handler);
    const through = compile([action("a")], [(_ctx, _args, next) => next()]).get("a");
    expect(through?.([], {})).toEqual(text("{}"));
  });

  test("F44: middleware that does not call next returns its own result, and errors propagate outwards", async () => {
    const refuse: ActionMiddleware<Trace> = () => text("refused");
    const trace: Trace = [];
    const chain = compile([action("a", [layer("inner")])], [layer("outer"), refuse]).get("a");
    expect(await chain?.(trace, {})).toEqual(text("refused"));
    expect(trace).toEqual(["outer", "outer left"]);
    const broken = { ...action("b"), handler: () => Promise.reject(new Error("broken")) };
    await expect(compile([broken], [layer("outer")]).get("b")?.([], {})).rejects.toThrow("broken");
  });

  test("F46: the arrays are not read after the build", async () => {
    const globals = [layer("global")];
    const own = [layer("own")];
    const chain = compile([action("a", own)], globals).get("a");
    globals.length = 0;
    own.push(layer("late"));
    const trace: Trace = [];
    await chain?.(trace, {});
    expect(trace.slice(0, 3)).toEqual(["global", "own", "handler"]);
  });

  test("F43: two actions with the same key are rejected", () => {
    expect(() => compile([action("a"), action("a")], [])).toThrow(
      new Error('Action "a" is already registered. Names must be unique.'),
    );
  });

  test("F18, F43–F46: any number of layers, with sequential and concurrent calls", async () => {
    const counts = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 6 }), counts, async (globalCount, ownCounts) => {
        const names = (kind: string, count: number) =>
          Array.from({ length: count }, (_, i) => `${kind} MW ${i + 1}`);
        const actions = ownCounts.map((count, i) => action(`a${i}`, names(`Group ${i}`, count).map(layer)));
        const globals = names("Global", globalCount).map(layer);
        deepFreeze(actions);
        deepFreeze(globals);
        const chains = compile(actions, globals);
        expect([...chains.keys()]).toEqual(actions.map(({ key }) => key));
        const again = compile(actions, globals);
        await Promise.all(
          ownCounts.flatMap((count, i) =>
            [chains, chains, again].map(async (each) => {
              const trace: Trace = [];
              const args = { n: i };
              expect(await each.get(`a${i}`)?.(trace, args)).toEqual(text(JSON.stringify(args)));
              const order = [...names("Global", globalCount), ...names(`Group ${i}`, count)];
              expect(trace).toEqual([
                ...order,
                "handler",
                ...order.toReversed().map((name) => `${name} left`),
              ]);
            }),
          ),
        );
      }),
    );
  });
});
