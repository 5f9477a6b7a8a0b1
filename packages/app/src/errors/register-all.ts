/**
 * @fileoverview Registers all parts of a server. A failed critical registration prevents the server from starting.
 * @module app/errors/register-all
 */
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { safeMessage } from "@tenon/internal/security/safe-text";
import { McpError } from "tenon/protocol";
import { requestContextService } from "../context/request-context-service.js";
import type { ContextLogger } from "../logging/logger.js";

/** Registration of one tool, resource, or service. */
export interface Registration {
  /** Name for log entries and errors. */
  readonly name: string;
  /** Performs the registration. It fails by throwing or rejecting. */
  readonly register: () => MaybePromise<unknown>;
  /**
   * Prevents the server from starting if the registration fails.
   * @default true
   */
  readonly critical?: boolean;
}

/** Names of the successful and the skipped registrations. */
export interface RegistrationReport {
  readonly registered: readonly string[];
  /** Registrations that failed and are not critical. */
  readonly skipped: readonly string[];
}

/**
 * Runs all registrations in order, even if some fail, so that one error reports every problem. Failed registrations
 * that are not critical are logged and skipped.
 *
 * @throws {McpError} `INITIALIZATION_FAILED` with the name and reason of every failed critical registration; its `cause`
 * is an `AggregateError` with their errors
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
        const context = requestContextService.createRequestContext({ operation: "RegisterAll" });
        options.logger.error(`Could not register "${name}". It was skipped.`, context, { name, error });
      }
    }
  }
  if (failed.length === 0) return { registered, skipped };
  const reasons = failed.map(({ name, error }) => `"${name}" (${safeMessage(error).replace(/\.$/, "")})`);
  throw new McpError(
    "INITIALIZATION_FAILED",
    `The server cannot start: could not register ${reasons.join(", ")}.`,
    { failed: failed.map(({ name }) => name) },
    { cause: new AggregateError(failed.map(({ error }) => error)) },
  );
}
