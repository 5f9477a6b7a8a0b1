/**
 * @fileoverview Collects failures of a module's handlers, so that the user sees why a call failed.
 * @module cli/load/failure-log
 */
import type { LogSink } from "tenon";
import { oneLine, stripControls } from "@tenon/internal/text";
import { clean } from "@tenon/internal/security/safe-text";
import { messageOf } from "@tenon/internal/thrown";
import { describeUserError, type UserModule } from "./user-error.js";

/** Options for `createFailureLog`. */
export interface FailureLogOptions {
  readonly module: UserModule;
  /** True to add each error's stack trace. */
  readonly showStack: boolean;
}

/** Creates a log sink that adds a description of each failure to `failures`. */
export function createFailureLog(failures: string[], options: FailureLogOptions): LogSink {
  return (entry) => {
    if (entry.level !== "error" || failures.length >= MAX_FAILURES) return;
    failures.push(describeFailure(entry.error, options));
  };
}

const MAX_FAILURES = 20;
const MAX_CAUSES = 5;

function describeFailure(error: unknown, { module, showStack }: FailureLogOptions): string {
  const lines = [`Cause: ${clean(describeUserError(error, module))}`];
  let cause = causeOf(error);
  for (let depth = 0; cause !== undefined && depth < MAX_CAUSES; depth++) {
    const line = clean(describeUserError(cause, module));
    // Many errors repeat the message of their cause.
    if (!lines.some((shown) => shown.includes(oneLine(messageOf(cause) ?? line, 1_000))))
      lines.push(`Caused by: ${line}`);
    cause = causeOf(cause);
  }
  const stack = showStack && error instanceof Error ? [stripControls(error.stack ?? "")] : [];
  return [...lines, ...stack].join("\n");
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
