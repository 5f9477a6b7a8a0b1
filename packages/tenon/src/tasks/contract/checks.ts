/**
 * @fileoverview Waits and checks that the contract suites share. They depend neither on a test runner nor on Node.js.
 * @module tenon/tasks/contract/checks
 */
import { isJsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { systemPorts } from "@tenon/internal/ports";
import type { ContractTimes } from "./harness.js";

/** Waits for real time to pass. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemPorts.startTimer(resolve, ms);
  });
}

/**
 * Waits until a condition holds.
 * @throws if it does not hold within `timeoutMs`
 */
export async function waitUntil(
  what: string,
  condition: () => MaybePromise<boolean>,
  timeoutMs = 10_000,
): Promise<void> {
  const end = systemPorts.now() + timeoutMs;
  while (!(await condition())) {
    if (systemPorts.now() > end) throw new Error(`Expected within ${timeoutMs} ms: ${what}.`);
    await sleep(5);
  }
}

/**
 * Waits for a promise.
 * @throws if it does not settle within `timeoutMs`
 */
export async function waitFor<T>(what: string, promise: Promise<T>, timeoutMs?: number): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await waitUntil(what, () => isSettled, timeoutMs);
  return promise;
}

/** Waits of a case, with the times of its harness. */
export class CaseWaits<Harness extends ContractTimes> {
  constructor(readonly harness: Harness) {}

  /** Waits until a condition holds. */
  until(what: string, condition: () => MaybePromise<boolean>): Promise<void> {
    return waitUntil(what, condition, this.harness.timeoutMs);
  }

  /** Waits for events that must not happen. */
  quiet(): Promise<void> {
    return sleep(this.harness.quietMs ?? 50);
  }

  /** Moves the clock, or waits until that much time has passed. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.harness;
    if (clock === undefined) await sleep(ms);
    else await clock.advance(ms);
  }
}

/** Runs a case, and ends its context. If both fail, the failure of the case is the one to report. */
export async function runCase<Context extends { end(): Promise<void> }>(
  context: Context,
  run: (context: Context) => Promise<void>,
): Promise<void> {
  try {
    await run(context);
  } catch (error) {
    await context.end().catch(() => undefined);
    throw error;
  }
  await context.end();
}

/** Throws an error unless two values have the same JSON form. The order of members does not matter. */
export function assertEqual(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [toText(actual), toText(expected)];
  if (got !== wanted) throw new Error(`${what}: expected ${clip(wanted)}; got ${clip(got)}.`);
}

/** Converts a value to text in which objects with the same members are equal. */
function toText(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) =>
    isJsonObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  ) as string | undefined; // Safe: the result for `undefined`
  return text ?? "undefined";
}

/** Shortens a long text for a message. */
function clip(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}

const MAX_SHOWN = 2_000;

/** A case, before it is bound to a harness. */
interface Definition {
  readonly title: string;
  /** Member of the harness without which the case is left out. */
  readonly needs?: string;
  readonly run: (context: never) => Promise<void>;
}

/** Creates cases from their titles and functions. @param needs member of the harness that they need */
export function defineCases<Case extends Definition>(
  cases: Readonly<Record<string, Case["run"]>>,
  needs?: Case["needs"],
): readonly Case[] {
  // Safe: the members of the definition
  return Object.entries(cases).map(([title, run]) => ({ title, run, needs }) as unknown as Case);
}
