/**
 * @fileoverview Which methods each era has.
 * @module protocol/revisions/methods
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

/** The requests of each era. */
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

/** The name of a request that some era has. */
export type MethodName = (typeof METHODS)[Era][number];

/** The requests that may end with a question to the user in the stateless era. */
export const RETRYABLE_METHODS: readonly MethodName[] = ["tools/call", "prompts/get", "resources/read"];
