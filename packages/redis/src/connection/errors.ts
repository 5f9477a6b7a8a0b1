/**
 * @fileoverview Errors of a Redis connection. Errors of ioredis contain the arguments of the command, which may be a
 * password, so they are never passed on.
 * @module redis/connection/errors
 */
import { printableLine } from "@tenon/internal/text";
import { StoreError } from "tenon/stores";

/** Redis cannot be used at the moment. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";

  constructor(store: string, reason: string) {
    super(`${store} is not available: ${reason}.`);
    // Where the command was sent says nothing about the reason.
    this.stack = String(this);
  }
}

/** Returns true for an error that Redis sent as the reply to a command. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === "ReplyError";
}

/** Returns true if Redis rejected a command because of a state that passes soon. The command had no effect. */
export function isNotExecuted(error: unknown): boolean {
  return isReply(error) && /^(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY)\b/.test(error.message);
}

/** Returns true for a failed connection that will fail again: wrong credentials, missing permissions, or TLS. */
export function isPermanent(error: unknown): boolean {
  return (
    (isReply(error) && !isNotExecuted(error)) ||
    /CERT|SSL|TLS|SIGNATURE|INVALID_CA/.test(toProblem(error) ?? "")
  );
}

/** Returns the reason of a failed connection for messages. Contains neither credentials nor arguments. */
export function toProblem(error: unknown): string | undefined {
  if (isReply(error)) return toReplyText(error).replace(/\.$/, "");
  if (!(error instanceof Error)) return undefined;
  // Safe: only read. The error of a cluster carries the error of its last node.
  const { code, lastNodeError } = error as { readonly code?: unknown; readonly lastNodeError?: unknown };
  return typeof code === "string" ? printableLine(code) : toProblem(lastNodeError);
}

/** Converts an error of ioredis to one that may be shown. */
export function toStoreError(error: unknown, store: string): unknown {
  if (isReply(error)) {
    if (error.message.startsWith("OOM")) {
      return new StoreError("full", `${store} is out of memory. Raise \`maxmemory\` or lower the limits.`);
    }
    return new Error(`${store} rejected a command: ${toReplyText(error)}`);
  }
  if (error instanceof StoreError || error instanceof UnavailableError || error instanceof RangeError)
    return error;
  if (error instanceof Error && error.message === "Command timed out")
    return new UnavailableError(store, "the command timed out");
  return new UnavailableError(store, toProblem(error) ?? "the connection was lost");
}

/** Returns the text of a reply. For an unknown command, Redis adds its arguments, which are removed. */
function toReplyText({ message }: Error): string {
  return printableLine(message.replace(/, with args beginning with:.*$/s, ""));
}
