import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  aggregateAnnotations,
  type AnnotationAggregator,
  type ExplicitAnnotations,
} from "../../../src/grouped/strategies/annotation-aggregator.js";
import { deepFreeze, mockAction, toActions, toolPlan } from "../../support/grouped/actions.js";

const aggregate: AnnotationAggregator = aggregateAnnotations;
const reads = mockAction("list", { readOnly: true, idempotent: true });
const sets = mockAction("set", { idempotent: true });
const drops = mockAction("drop", { destructive: true });

describe("a grouped tool's hints", () => {
  test.each([
    [
      "F39: destructive if any action is",
      [reads, drops],
      { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    ],
    [
      "F39: not destructive if none is",
      [reads, sets],
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    ],
    [
      "F40: read-only if all are",
      [reads, reads],
      { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    ],
    [
      "F40: not read-only if one is not",
      [reads, sets],
      { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    ],
    [
      "F41: not idempotent if one is not",
      [reads, mockAction("add")],
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    ],
    [
      "F38: without actions, a tool is not read-only, idempotent, or destructive",
      [],
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    ],
  ])("%s", (_title, actions, expected) => {
    expect(aggregate(actions)).toEqual(expected);
  });

  test("F42: explicit hints win, and the rest is derived", () => {
    const explicit = { title: "Users", destructiveHint: false, openWorldHint: true, returnDirect: true };
    expect(aggregate([reads, drops], explicit)).toEqual({
      title: "Users",
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
      returnDirect: true,
    });
  });

  test("F42: an undefined hint is not set", () => {
    const explicit = { destructiveHint: undefined, title: undefined };
    expect(aggregate([drops], explicit)).toStrictEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    });
  });

  test("F18, F38, F39, F40, F41, F42: any actions, any hints", () => {
    const hint = fc.option(fc.boolean(), { nil: undefined });
    const hints = fc.record({
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
      openWorldHint: hint,
    });
    fc.assert(
      fc.property(toolPlan, hints, (tool, explicit: ExplicitAnnotations) => {
        const actions = deepFreeze(toActions(tool).map(({ action }) => action));
        const result = aggregate(actions, deepFreeze(explicit));
        const some = actions.length > 0;
        expect(result.destructiveHint).toBe(explicit.destructiveHint ?? actions.some((a) => a.destructive));
        expect(result.readOnlyHint).toBe(
          explicit.readOnlyHint ?? (some && !actions.some((a) => !a.readOnly)),
        );
        expect(result.idempotentHint).toBe(
          explicit.idempotentHint ?? (some && !actions.some((a) => !a.idempotent)),
        );
        expect(result.openWorldHint).toBe(explicit.openWorldHint);
        expect(aggregate(actions, explicit)).toEqual(result);
      }),
    );
  });
});
