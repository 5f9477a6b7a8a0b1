/**
 * @fileoverview The protocol's method for each kind of operation.
 * @module app/operation-methods
 */
import type { Operation } from "tenon";

/** Method of each kind of operation. */
export const METHOD_OF = {
  tool: "tools/call",
  resource: "resources/read",
  prompt: "prompts/get",
} as const satisfies Record<Operation["kind"], string>;
