/**
 * @fileoverview Structural types for the parts of official SDK servers and transports that this package uses. The SDK
 * is not imported, so any version and any compatible object works.
 * @module sdk/adapters/sdk-shapes
 */
import type { RequestId } from "tenon/protocol";

/** Authorization and request data that an SDK transport passes along with a message. */
export interface SdkMessageExtra {
  readonly authInfo?: {
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly token?: string;
  };
  /** Headers and URL of the HTTP request, from version 1 of the SDK. */
  readonly requestInfo?: unknown;
  /** HTTP request, from version 2 of the SDK. */
  readonly request?: Request;
  readonly sessionId?: string;
  readonly closeSSEStream?: () => void;
  readonly closeStandaloneSSEStream?: () => void;
}

/** Data that an official SDK transport passed along with a message, as part of its exchange. */
export interface SdkExchange {
  readonly sdk?: SdkMessageExtra | undefined;
}

/** An official SDK transport, such as `StdioServerTransport`. */
export interface SdkTransport {
  start(): Promise<void>;
  // Method syntax allows any SDK version: the message types differ between versions.
  send(message: unknown, options?: { readonly relatedRequestId?: RequestId }): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  sessionId?: string | undefined;
  /** Called with the negotiated protocol version. */
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** An official SDK server: `McpServer` or `Server`, from version 1 or 2 of the SDK. */
export interface SdkServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

/** Recognizes an official SDK server. It has a `connect` method but, unlike a Tenon server, no `handle` method. */
export function isSdkServer(value: unknown): value is SdkServer {
  return (
    typeof value === "object" &&
    value !== null &&
    "connect" in value &&
    typeof value.connect === "function" &&
    !("handle" in value)
  );
}
