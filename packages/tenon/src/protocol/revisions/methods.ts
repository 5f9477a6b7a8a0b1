/**
 * @fileoverview Request methods by era.
 * @module tenon/protocol/revisions/methods
 */
import type { Era } from "./revision.js";

const SHARED = [
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "prompts/list",
  "prompts/get",
  "completion/complete",
] as const;

/** Request methods by era. */
export const METHODS = {
  legacy: [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    ...SHARED,
  ],
  modern: ["server/discover", "subscriptions/listen", ...SHARED],
} as const satisfies Record<Era, readonly string[]>;

/** Request method name from any era. */
export type MethodName = (typeof METHODS)[Era][number];

/** Methods that can request input from the client in stateless revisions. */
export const RETRYABLE_METHODS: readonly MethodName[] = ["tools/call", "prompts/get", "resources/read"];
