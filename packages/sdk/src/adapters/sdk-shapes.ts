/**
 * @fileoverview The shapes of the official SDK's servers and transports, as far as they are used here. The SDK itself is
 * not imported: any version works, and anything else of the same shape.
 * @module sdk/adapters/sdk-shapes
 */
import type { RequestId } from "tenon/protocol";

/** Facts that a transport passes along with a message. */
export interface SdkMessageExtra {
  readonly authInfo?: {
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly token?: string;
  };
  readonly requestInfo?: unknown;
}

/** A transport of the official SDK. */
export interface SdkTransport {
  start(): Promise<void>;
  // Methods, not properties: the SDK's own message types differ from version to version.
  send(message: unknown, options?: { readonly relatedRequestId?: RequestId }): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  sessionId?: string | undefined;
}

/** A server of the official SDK: `McpServer` or `Server`, of its first or second generation. */
export interface SdkServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/** Recognizes a server of the official SDK: it has `connect`, and no `handle` as servers of Tenon have. */
export function isSdkServer(value: unknown): value is SdkServer {
  return (
    typeof value === "object" &&
    value !== null &&
    "connect" in value &&
    typeof value.connect === "function" &&
    !("handle" in value)
  );
}
