/**
 * @fileoverview Settings of one node of the chaos test.
 * @module tools/chaos/settings
 */

/** Settings that the test passes to a node. */
export interface NodeSettings {
  readonly port: number;
  /** Address of Redis, or of the proxy before it. Without it and `redisNodes`, the node has no store. */
  readonly redisUrl?: string;
  /** Nodes of a Redis Cluster. */
  readonly redisNodes?: readonly { readonly host: string; readonly port: number }[];
  /** Certificate authority of Redis in PEM format. */
  readonly ca?: string;
  readonly prefix: string;
  /** Secrets that encrypt all records. */
  readonly keys: readonly string[];
  /** File that the handlers append to. */
  readonly journal: string;
  /** Number of worker processes. */
  readonly workers?: number;
  /** Time for which the node drains after SIGTERM in milliseconds. Without it, SIGTERM ends the process. */
  readonly drainMs?: number;
  /** Name of a tool that only this version of the server has. */
  readonly newTool?: string;
}
