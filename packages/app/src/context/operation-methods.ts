/**
 * @fileoverview MCP method for each kind of operation.
 * @module app/operation-methods
 */
import type { Operation } from "tenon";

/** MCP method, keyed by operation kind. */
export const METHOD_OF = {
  tool: "tools/call",
  resource: "resources/read",
  prompt: "prompts/get",
} as const satisfies Record<Operation["kind"], string>;
