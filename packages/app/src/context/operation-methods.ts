/**
 * @fileoverview Maps each kind of operation to its MCP method.
 * @module app/context/operation-methods
 */
import type { Operation } from "tenon";

/** MCP method names, keyed by operation kind. */
export const METHOD_OF = {
  tool: "tools/call",
  resource: "resources/read",
  prompt: "prompts/get",
} as const satisfies Record<Operation["kind"], string>;
