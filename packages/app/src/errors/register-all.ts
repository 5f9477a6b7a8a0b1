/**
 * @fileoverview Registers everything a server is made of, and decides whether it may start.
 * @module app/errors/register-all
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { McpError } from "tenon/protocol";
import type { ContextLogger } from "../logging/logger.js";

/** One tool, resource or service to be registered. */
export interface Registration {
  readonly name: string;
  readonly register: () => MaybePromise<unknown>;
  /**
   * Whether the server must not start without it.
   * @default true
   */
  readonly critical?: boolean;
}

/** Outcome of all registrations. */
export interface RegistrationReport {
  readonly registered: readonly string[];
  readonly skipped: readonly string[];
}

/**
 * Runs registrations one after another, all of them, so that one look at the error shows everything that is wrong.
 * One that is not critical and fails is skipped with an entry in the log.
 *
 * @throws McpError `INITIALIZATION_FAILED`, naming every critical one that failed; its `cause` holds their errors
 */
export async function registerAll(
  registrations: readonly Registration[],
  options: { readonly logger: Pick<ContextLogger, "error"> },
): Promise<RegistrationReport> {
  const registered: string[] = [];
  const skipped: string[] = [];
  const failed: { readonly name: string; readonly error: unknown }[] = [];
  for (const { name, register, critical = true } of registrations) {
    try {
      await register();
      registered.push(name);
    } catch (error) {
      if (critical) {
        failed.push({ name, error });
      } else {
        skipped.push(name);
        options.logger.error(`Skipped '${name}': it could not be registered.`, undefined, { name, error });
      }
    }
  }
  if (failed.length === 0) return { registered, skipped };
  const names = failed.map(({ name }) => `'${name}'`).join(", ");
  throw new McpError(
    "INITIALIZATION_FAILED",
    `The server cannot start: ${names} could not be registered.`,
    { failed: failed.map(({ name }) => name) },
    { cause: new AggregateError(failed.map(({ error }) => error)) },
  );
}
