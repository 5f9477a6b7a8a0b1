/**
 * @fileoverview Error that the test client throws for an error response.
 * @module transport/memory/client-error
 */
import type { RpcError } from "../../protocol/index.js";

/** Error thrown for an error response and for a task that failed. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: number;
  readonly data: unknown;

  constructor(error: RpcError) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}
