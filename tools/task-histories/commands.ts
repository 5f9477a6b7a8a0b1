/**
 * @fileoverview Commands of the property test.
 * @module tools/task-histories/commands
 */
import * as fc from "fast-check";
import { type Script, script } from "./script.js";

/** Command of a history. `turns` is the time until the next one, in turns of the event loop. */
export type Command = { readonly turns: number } & (
  | { readonly kind: "create"; readonly tool: "fail" | "retry"; readonly script: Omit<Script, "id"> }
  | { readonly kind: "poll"; readonly task: number }
  | {
      readonly kind: "answer";
      readonly task: number;
      readonly mode: "valid" | "rejected" | "invalid" | "unknown";
      /** Bits that select some of the open questions. */
      readonly keys: number;
    }
  | { readonly kind: "cancel"; readonly task: number }
  | { readonly kind: "open"; readonly task: number }
  | { readonly kind: "advance"; readonly ms: number }
  | {
      readonly kind: "lose";
      readonly kept: number;
      /** Lets handlers continue and polls shortly before the loss, so that it happens during writes. */
      readonly rush: { readonly turns: number } | null;
    }
);

const turns = fc.oneof(fc.constant(0), fc.nat(3), fc.constant(12));
const task = fc.nat(4);

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant("create" as const),
      tool: fc.constantFrom("fail" as const, "retry" as const),
      script,
      turns,
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: fc.constant("poll" as const), task, turns }), weight: 8 },
  {
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      task,
      mode: fc.oneof(
        { arbitrary: fc.constant("valid" as const), weight: 4 },
        {
          arbitrary: fc.constantFrom("rejected" as const, "invalid" as const, "unknown" as const),
          weight: 3,
        },
      ),
      keys: fc.nat(7),
      turns,
    }),
    weight: 8,
  },
  { arbitrary: fc.record({ kind: fc.constant("cancel" as const), task, turns }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant("open" as const), task, turns }), weight: 8 },
  {
    arbitrary: fc.record({
      kind: fc.constant("advance" as const),
      ms: fc.oneof(
        { arbitrary: fc.nat(50), weight: 5 },
        { arbitrary: fc.integer({ min: 3_000, max: 12_000 }), weight: 2 },
      ),
      turns,
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("lose" as const),
      kept: fc.oneof(fc.constant(0), fc.nat(3)),
      rush: fc.option(fc.record({ turns: fc.nat(7) })),
      turns,
    }),
    weight: 2,
  },
);

/** Histories. */
export const history: fc.Arbitrary<readonly Command[]> = fc.array(command, { maxLength: 60, size: "max" });
