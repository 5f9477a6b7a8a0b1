/**
 * @fileoverview Tools for the property test. A task's arguments contain a script, which its handler follows.
 * @module tools/task-histories/script
 */
import * as fc from "fast-check";
import { z } from "zod";
import { type Call, errorResult, form, RequestError } from "tenon";

/** Step of a handler. */
const STEP = z.discriminatedUnion("kind", [
  /** Waits until the test opens a gate. */
  z.object({ kind: z.literal("wait") }),
  z.object({ kind: z.literal("progress") }),
  /** Asks questions, all at once. */
  z.object({ kind: z.literal("ask"), count: z.number() }),
  z.object({ kind: z.literal("once"), retry: z.boolean(), fails: z.boolean() }),
]);

/** Arguments of the tools. */
export const SCRIPT = z.object({
  id: z.string(),
  steps: z.array(STEP),
  ending: z.enum(["text", "error", "tool-error", "request-error"]),
  ignoresCancel: z.boolean(),
});

/** Script of a handler. */
export type Script = z.infer<typeof SCRIPT>;

/** Connection between the handlers and the test. */
export interface Stage {
  /** Waits until the test opens the gate, or until the signal aborts. */
  pass(id: string, signal: AbortSignal | undefined): Promise<void>;
  /** Counts a run of a step. */
  countStep(key: string, retry: boolean): void;
}

/** Answers that a form accepts, but the handler rejects, contain this text. */
export const REJECTED = "rejected";

const TEXT = form({
  message: "Text?",
  schema: z.object({ text: z.string().refine((text) => !text.includes(REJECTED), "is not accepted") }),
});

/** Returns the key of a question. */
export function questionKey(step: number, index: number): string {
  return `q${step}.${index}`;
}

/** Creates the handler that follows scripts. */
export function createHandler(stage: Stage) {
  return async (script: Script, call: Call) => {
    const { id, steps, ending, ignoresCancel } = script;
    const signal = ignoresCancel ? undefined : call.signal;
    const parts: string[] = [];
    for (const [index, step] of steps.entries()) {
      if (step.kind === "wait") await stage.pass(id, signal);
      if (step.kind === "progress") await call.progress(index + 1, steps.length, `${id} at step ${index}`);
      if (step.kind === "ask") {
        const keys = Array.from({ length: step.count }, (_, n) => questionKey(index, n));
        const answers = await Promise.all(keys.map((key) => call.input(key, TEXT)));
        for (const answer of answers)
          parts.push(answer.action === "accept" ? answer.content.text : answer.action);
      }
      if (step.kind === "once") parts.push(await runStep(stage, call, { ...step, id, index, signal }));
    }
    if (ending === "error") throw new Error("The handler failed.");
    if (ending === "tool-error") return errorResult(`failed ${id}`);
    if (ending === "request-error") throw new RequestError("SERVICE_UNAVAILABLE", `offline ${id}`);
    return JSON.stringify({ id, parts });
  };
}

interface StepRun {
  readonly id: string;
  readonly index: number;
  readonly retry: boolean;
  readonly fails: boolean;
  readonly signal: AbortSignal | undefined;
}

function runStep(stage: Stage, call: Call, { id, index, retry, fails, signal }: StepRun): Promise<string> {
  const step = async () => {
    stage.countStep(`${id} step ${index}`, retry);
    await stage.pass(id, signal);
    if (fails) throw new Error("The step failed.");
    return stepResult(index);
  };
  return call.once(`step ${index}`, step, { retry });
}

/** Returns the result of a step. */
export function stepResult(index: number): string {
  return `done ${index}`;
}

const step: fc.Arbitrary<Script["steps"][number]> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("wait" as const) }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant("progress" as const) }), weight: 1 },
  {
    arbitrary: fc.record({ kind: fc.constant("ask" as const), count: fc.integer({ min: 1, max: 3 }) }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant("once" as const),
      retry: fc.boolean(),
      fails: fc.nat(5).map((n) => n === 0),
    }),
    weight: 2,
  },
);

/** Scripts without their ID. */
export const script: fc.Arbitrary<Omit<Script, "id">> = fc.record({
  steps: fc.array(step, { maxLength: 5 }),
  ending: fc.oneof(
    { arbitrary: fc.constant("text" as const), weight: 5 },
    {
      arbitrary: fc.constantFrom("error" as const, "tool-error" as const, "request-error" as const),
      weight: 2,
    },
  ),
  ignoresCancel: fc.boolean(),
});
