/**
 * @fileoverview Registers all parts of a server and decides whether it may start.
 * @module app/errors/register-all
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { McpError } from "tenon/protocol";
import type { ContextLogger } from "../logging/logger.js";

/** Registration of one tool, resource or service. */
export interface Registration {
  readonly name: string;
  readonly register: () => MaybePromise<unknown>;
  /**
   * Prevents the server from starting if the registration fails.
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
 * Runs all registrations in order. Failures are collected, so that one error shows every problem. A registration that
 * fails and is not critical is logged and skipped.
 *
 * @throws McpError `INITIALIZATION_FAILED` with the name of every failed critical registration; its `cause` has their
 * errors
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
        options.logger.error(`Skipped '${name}': registration failed.`, undefined, { name, error });
      }
    }
  }
  if (failed.length === 0) return { registered, skipped };
  const names = failed.map(({ name }) => `'${name}'`).join(", ");
  throw new McpError(
    "INITIALIZATION_FAILED",
    `The server cannot start: registration of ${names} failed.`,
    { failed: failed.map(({ name }) => name) },
    { cause: new AggregateError(failed.map(({ error }) => error)) },
  );
}
