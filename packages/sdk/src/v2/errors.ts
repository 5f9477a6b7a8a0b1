/**
 * @fileoverview Error classes of the official SDK, version 2. An error from either package is an instance of the class
 * of the same name in the other: both mark errors with the same symbol.
 * @module sdk/v2/errors
 */
import type { ClientCapabilities } from "tenon/protocol";
import { isJsonObject } from "@tenon/internal/json";
import { CONNECTION_CLOSED, REQUEST_TIMEOUT, RequestError } from "../server/requests/errors.js";

const CODES = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  /** Received from older servers. This package sends `InvalidParams` instead. */
  ResourceNotFound: -32002,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  UrlElicitationRequired: -32042,
} as const;

/** JSON-RPC error codes by name, and their names by code, as in a TypeScript enum. */
export const ProtocolErrorCode = /* @__PURE__ */ withNames(CODES);

/** One of the JSON-RPC error codes. */
export type ProtocolErrorCode = (typeof CODES)[keyof typeof CODES];

function withNames<Codes extends Readonly<Record<string, number>>>(codes: Codes) {
  const names = Object.entries(codes).map(([name, code]) => [code, name] as const);
  return { ...codes, ...(Object.fromEntries(names) as Readonly<Record<number, string>>) }; // Safe: built above
}

/** Codes of errors that are never sent to the other side. */
export const SdkErrorCode = {
  NotConnected: "NOT_CONNECTED",
  AlreadyConnected: "ALREADY_CONNECTED",
  NotInitialized: "NOT_INITIALIZED",
  CapabilityNotSupported: "CAPABILITY_NOT_SUPPORTED",
  RequestTimeout: "REQUEST_TIMEOUT",
  ConnectionClosed: "CONNECTION_CLOSED",
  SendFailed: "SEND_FAILED",
  InvalidResult: "INVALID_RESULT",
  UnsupportedResultType: "UNSUPPORTED_RESULT_TYPE",
  InputRequiredRoundsExceeded: "INPUT_REQUIRED_ROUNDS_EXCEEDED",
  ListPaginationExceeded: "LIST_PAGINATION_EXCEEDED",
  MethodNotSupportedByProtocolVersion: "METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION",
  EraNegotiationFailed: "ERA_NEGOTIATION_FAILED",
  ClientHttpNotImplemented: "CLIENT_HTTP_NOT_IMPLEMENTED",
  ClientHttpAuthentication: "CLIENT_HTTP_AUTHENTICATION",
  ClientHttpForbidden: "CLIENT_HTTP_FORBIDDEN",
  ClientHttpUnexpectedContent: "CLIENT_HTTP_UNEXPECTED_CONTENT",
  ClientHttpFailedToOpenStream: "CLIENT_HTTP_FAILED_TO_OPEN_STREAM",
  ClientHttpFailedToTerminateSession: "CLIENT_HTTP_FAILED_TO_TERMINATE_SESSION",
} as const;

/** One of the codes of `SdkError`. */
export type SdkErrorCode = (typeof SdkErrorCode)[keyof typeof SdkErrorCode];

/** Own property of an error that contains the brands of its class and its superclasses. */
const BRANDS = Symbol.for("mcp.sdk.errorBrands");

/** Base of the error classes. Compares brands, so that errors from two copies of the SDK match. */
class BrandedError extends Error {
  /** Name that both packages give to a class, such as `mcp.ProtocolError`. */
  static readonly mcpBrand: string = "";

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, this.mcpBrand) || Function.prototype[Symbol.hasInstance].call(this, value);
  }

  /** Narrows a value to this class. Works across copies of the package, as `instanceof` does. */
  static isInstance<Type extends abstract new (...given: never[]) => unknown>(
    this: Type,
    value: unknown,
  ): value is InstanceType<Type> {
    return value instanceof this;
  }

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    const brands = new Set<string>();
    for (
      let type: unknown = new.target;
      typeof type === "function" && "mcpBrand" in type;
      type = Object.getPrototypeOf(type)
    ) {
      if (typeof type.mcpBrand === "string" && type.mcpBrand !== "") brands.add(type.mcpBrand);
    }
    Object.defineProperty(this, BRANDS, { value: brands, configurable: true });
  }
}

/** Error that is sent to the other side as a JSON-RPC error, or that was received as one. */
export class ProtocolError extends BrandedError {
  static override readonly mcpBrand: string = "mcp.ProtocolError";
  override readonly name: string = "ProtocolError";

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }

  /** Creates the most specific error class for a received JSON-RPC error. */
  static fromError(code: number, message: string, data?: unknown): ProtocolError {
    const known = isJsonObject(data) ? data : {};
    const { elicitations, supported, requested, uri, requiredCapabilities } = known;
    if (code === ProtocolErrorCode.UrlElicitationRequired && Array.isArray(elicitations))
      return new UrlElicitationRequiredError(elicitations as UrlElicitation[], message); // Safe: the caller checks them
    if (
      code === ProtocolErrorCode.UnsupportedProtocolVersion &&
      Array.isArray(supported) &&
      typeof requested === "string"
    )
      return new UnsupportedProtocolVersionError({ supported: supported.map(String), requested }, message);
    const isMissing =
      code === ProtocolErrorCode.ResourceNotFound ||
      (code === ProtocolErrorCode.InvalidParams && Object.keys(known).length === 1);
    if (isMissing && typeof uri === "string") return new ResourceNotFoundError(uri, message);
    if (code === ProtocolErrorCode.MissingRequiredClientCapability && isJsonObject(requiredCapabilities))
      return new MissingRequiredClientCapabilityError({ requiredCapabilities }, message);
    return new ProtocolError(code, message, data);
  }
}

/** Reports that a resource does not exist. Throw it in a callback that reads resources. */
export class ResourceNotFoundError extends ProtocolError {
  static override readonly mcpBrand = "mcp.ResourceNotFoundError";

  constructor(
    readonly uri: string,
    message = `Resource not found: ${uri}`,
  ) {
    super(ProtocolErrorCode.InvalidParams, message, { uri });
  }
}

/** A page that the user must open. */
export interface UrlElicitation {
  readonly mode: "url";
  readonly message: string;
  readonly url: string;
  readonly elicitationId: string;
}

/** Reports that the user must first open pages in a browser. Only for the legacy revisions. */
export class UrlElicitationRequiredError extends ProtocolError {
  static override readonly mcpBrand = "mcp.UrlElicitationRequiredError";

  constructor(
    readonly elicitations: UrlElicitation[],
    message = `URL elicitation${elicitations.length > 1 ? "s" : ""} required`,
  ) {
    super(ProtocolErrorCode.UrlElicitationRequired, message, { elicitations });
  }
}

/** Reports that a request names a protocol version that the server does not support. */
export class UnsupportedProtocolVersionError extends ProtocolError {
  static override readonly mcpBrand = "mcp.UnsupportedProtocolVersionError";
  readonly supported: string[];
  readonly requested: string;

  constructor(
    data: { supported: string[]; requested: string },
    message = `Unsupported protocol version: ${data.requested}`,
  ) {
    super(ProtocolErrorCode.UnsupportedProtocolVersion, message, data);
    this.supported = data.supported;
    this.requested = data.requested;
  }
}

/** Reports that a request requires capabilities that the client did not declare. */
export class MissingRequiredClientCapabilityError extends ProtocolError {
  static override readonly mcpBrand = "mcp.MissingRequiredClientCapabilityError";
  readonly requiredCapabilities: ClientCapabilities;

  constructor(
    data: { requiredCapabilities: ClientCapabilities },
    message = `Missing required client capabilities: ${Object.keys(data.requiredCapabilities).join(", ")}`,
  ) {
    super(ProtocolErrorCode.MissingRequiredClientCapability, message, data);
    this.requiredCapabilities = data.requiredCapabilities;
  }
}

/** Error on this side of the connection, such as a timeout or a missing capability. */
export class SdkError extends BrandedError {
  static override readonly mcpBrand: string = "mcp.SdkError";
  override readonly name: string = "SdkError";

  // oxlint-disable-next-line max-params -- the official SDK fixes this signature
  constructor(
    readonly code: SdkErrorCode,
    message: string,
    readonly data?: unknown,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Converts a failure of version 1. Other errors are returned unchanged. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const { code, text, data } = error;
  const isOwn =
    data === undefined || (isJsonObject(data) && ("timeout" in data || "maxTotalTimeout" in data));
  if (code === REQUEST_TIMEOUT && isOwn) return new SdkError(SdkErrorCode.RequestTimeout, text, data);
  if (code === CONNECTION_CLOSED && data === undefined && text === "Connection closed")
    return new SdkError(SdkErrorCode.ConnectionClosed, text);
  return ProtocolError.fromError(code, text, data);
}

/** Asserts that no capability is missing. @param problem description of the missing capability, if any */
export function assertSupported(problem: string | undefined): void {
  if (problem !== undefined) throw new SdkError(SdkErrorCode.CapabilityNotSupported, problem);
}

function hasBrand(value: unknown, brand: string): boolean {
  try {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, BRANDS)) return false;
    const brands = (value as { readonly [BRANDS]?: unknown })[BRANDS]; // Safe: an own property of any type
    return brands instanceof Set && brands.has(brand);
  } catch {
    return false; // a proxy whose traps throw
  }
}
