/**
 * @fileoverview Messages between the attack and the process with its slow connections.
 * @module tools/attack/slow/settings
 */

/** Settings of the process. */
export interface SlowSettings {
  readonly port: number;
  readonly connections: number;
}

/** Counts so far. */
export interface SlowReport {
  /** Connections that are open now. */
  readonly open: number;
  /** Connections that the server has closed. */
  readonly closed: number;
}
