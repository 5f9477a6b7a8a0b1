/**
 * @fileoverview Error that rejects a client's request with a reason for the client.
 * @module agent/conversation/tasks/rejected-error
 */

/** Thrown to reject a request, for example because the task is already running. The message is sent to the client. */
export class RejectedError extends Error {
  override readonly name = "RejectedError";
}

/** Creates the error for a task that does not exist, or that the user cannot see. */
export function notFound(taskId: string): RejectedError {
  return new RejectedError(`Task "${taskId}" does not exist.`);
}
