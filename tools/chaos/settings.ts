/**
 * @fileoverview Settings of one node of the chaos test.
 * @module tools/chaos/settings
 */

/** Settings that the test passes to a node. */
export interface NodeSettings {
  readonly port: number;
  /** Address of the proxy before Redis. */
  readonly redisUrl: string;
  readonly prefix: string;
  /** Secret that encrypts all records. */
  readonly secret: string;
  /** File that the handlers append to. */
  readonly journal: string;
}
