/**
 * @fileoverview Asserts that servers and clients declare the capabilities of a method, with the official SDK's errors.
 * @module sdk/v2/server/capabilities
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ClientCapabilities } from "tenon/protocol";
import { describeUndeclared, describeUndeclaredByClient } from "../../mcp-server/capabilities.js";
import { SdkError, SdkErrorCode } from "../errors.js";

/** Asserts that the server declares the capability of a method. @throws {SdkError} if it does not */
export function assertDeclared(method: string, capabilities: JsonObject): void {
  assertSupported(describeUndeclared(method, capabilities));
}

/** Asserts that the client declares the capability of a request. Used with `enforceStrictCapabilities`. */
export function assertClientCapability(method: string, capabilities: ClientCapabilities | undefined): void {
  assertSupported(describeUndeclaredByClient(method, capabilities));
}

/** Asserts that no capability is missing. @param problem description of the missing capability, if any */
export function assertSupported(problem: string | undefined): void {
  if (problem !== undefined) throw new SdkError(SdkErrorCode.CapabilityNotSupported, problem);
}
