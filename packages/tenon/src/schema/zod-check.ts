/**
 * @fileoverview Checks values with Zod. Zod collects all issues and spreads them onto the stack, so a few hundred
 * kilobytes of invalid items take seconds and can overflow it. Values are first run with Zod's internal `abortEarly`
 * option, which stops at the first issue in an array or object. Zod versions without the option ignore it.
 * @module tenon/schema/zod-check
 */
import { hasMoreValues } from "@tenon/internal/json";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import type { CheckResult, Issue } from "./schema.js";

/** Zod schema members that this module uses. */
export interface ZodSchema {
  readonly _zod: { run(payload: ZodPayload, context: ZodContext): MaybePromise<ZodPayload> };
  safeParse(value: unknown, context?: ZodContext): ZodOutcome;
  safeParseAsync(value: unknown, context?: ZodContext): Promise<ZodOutcome>;
}

interface ZodPayload {
  readonly value: unknown;
  /** Raw issues. Most have no message yet. */
  readonly issues: readonly ZodIssue[];
}

interface ZodIssue extends Partial<Issue> {
  readonly expected?: unknown;
  readonly format?: unknown;
  /** Schema that raised the issue. */
  readonly inst?: { readonly _zod?: { readonly def?: { error?(issue: ZodIssue): unknown } } };
}

interface ZodContext {
  readonly async?: boolean;
  readonly abortEarly?: boolean;
}

interface ZodOutcome {
  readonly data?: unknown;
  readonly error?: { readonly issues: readonly Issue[] };
}

/** Narrows a schema to a Zod schema. */
export function isZodSchema(schema: object): schema is ZodSchema {
  const zod = schema as Partial<ZodSchema>;
  return (
    typeof zod._zod?.run === "function" &&
    typeof zod.safeParse === "function" &&
    typeof zod.safeParseAsync === "function"
  );
}

type Check = (value: unknown) => MaybePromise<CheckResult>;

/**
 * Creates the check function for a Zod schema. It reports all issues of a small value, and the first few of a large
 * one.
 *
 * Zod's own check first runs synchronously and drops the promise of an asynchronous refinement. The refinement would
 * run twice, and an unhandled rejection would end the process. To avoid this, the first value is checked
 * asynchronously. If that returns a promise, the schema is asynchronous, and all values are checked that way. Other
 * schemas keep the synchronous fast path.
 *
 * @param validate the schema's Standard Schema check
 */
export function createZodCheck(schema: ZodSchema, validate: Check): Check {
  let isAsync: boolean | undefined;

  const checkLater = async (value: unknown): Promise<CheckResult> =>
    toResult(await schema.safeParseAsync(value, isLarge(value) ? EARLY : undefined));

  const explain = (value: unknown, { issues }: ZodPayload): MaybePromise<CheckResult> => {
    if (!isLarge(value)) return validate(value);
    // Records do not stop early. Formatting all their issues would take as long as finding them.
    return issues.length > MAX_FORMATTED
      ? { issues: issues.map(toIssue) }
      : toResult(schema.safeParse(value, EARLY));
  };

  return (value) => {
    if (isAsync === true) return checkLater(value);
    let ran: MaybePromise<ZodPayload>;
    try {
      ran = schema._zod.run({ value, issues: [] }, { async: isAsync === undefined, abortEarly: true });
    } catch (error) {
      // Earlier values did not reach this asynchronous refinement. A stack overflow would happen again on a retry.
      if (isAsync === undefined || error instanceof RangeError) throw error;
      return checkLater(value);
    }
    const wasKnown = isAsync !== undefined;
    isAsync = isPromise(ran);
    if (!isPromise(ran)) return ran.issues.length === 0 ? { value: ran.value } : explain(value, ran);
    if (!wasKnown) {
      return ran.then((late) => (late.issues.length === 0 ? { value: late.value } : checkLater(value)));
    }
    ran.catch(() => undefined);
    return checkLater(value);
  };
}

const EARLY: ZodContext = { abortEarly: true };

/** Maximum number of elements and members in a value whose issues are all reported. */
const MAX_SMALL_VALUES = 1_000;

/** Maximum number of issues that Zod formats. */
const MAX_FORMATTED = 1_000;

function isLarge(value: unknown): boolean {
  return hasMoreValues(value, MAX_SMALL_VALUES);
}

function toResult({ data, error }: ZodOutcome): CheckResult {
  return error === undefined ? { value: data } : { issues: error.issues };
}

/** Formats an issue with its schema's message, or with a message similar to Zod's. */
function toIssue(issue: ZodIssue): Issue {
  const { path, message, expected, format, inst } = issue;
  const own = message ?? inst?._zod?.def?.error?.(issue);
  if (typeof own === "string") return { path, message: own };
  if (typeof expected === "string") return { path, message: `Invalid input: expected ${expected}` };
  return { path, message: typeof format === "string" ? `Invalid ${format}` : "Invalid input" };
}
