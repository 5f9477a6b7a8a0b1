/**
 * @fileoverview Types of the official SDK's servers and transports, as far as they are used here. The SDK itself is not
 * imported, so any version works, and so does any object of the same shape.
 * @module sdk/adapters/sdk-shapes
 */
import type { RequestId } from "tenon/protocol";

/** Facts that a transport passes with a message. */
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
  // Declared as methods, because the message types differ between SDK versions.
  send(message: unknown, options?: { readonly relatedRequestId?: RequestId }): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  sessionId?: string | undefined;
}

/** An official SDK server: `McpServer` or `Server`, of its first or second generation. */
export interface SdkServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/** Recognizes an official SDK server: it has `connect` and, unlike Tenon servers, no `handle`. */
export function isSdkServer(value: unknown): value is SdkServer {
  return (
    typeof value === "object" &&
    value !== null &&
    "connect" in value &&
    typeof value.connect === "function" &&
    !("handle" in value)
  );
}
