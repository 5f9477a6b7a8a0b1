/**
 * @fileoverview Log entries of one node about its store: one for an outage and one for its end, and few for problems.
 * @module tenon/session/shared/node-reports
 */
import type { Ports } from "@tenon/internal/ports";
import { isInstance } from "@tenon/internal/thrown";
import { StoreError } from "../../stores/store-error.js";

/** Functions that write the entries. */
export interface ReportParts {
  readonly ports: Pick<Ports, "now">;
  /** Logs a failure that no client receives. The server leaves it out if it has already logged the same outage. */
  readonly report: (error: unknown, isOutage: boolean) => void;
  /** Logs what the operator should know about other nodes and the store. */
  readonly warn: (event: "node-lost" | "store-restored", message: string) => void;
}

/** Decides which failures of a node are logged. */
export class NodeReports {
  readonly #parts: ReportParts;
  /** Problems with records of newer versions that were logged. */
  readonly #newer = new Set<string>();
  #lastReport = -Infinity;
  /** Failures of the store since it has worked last. Only the first one is logged. */
  #failures = 0;
  #failingSince = 0;

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /**
   * Logs a failure of the store, and the next one only after the store has worked again. A store that rejects data may
   * work otherwise, unless it rejects a sign of life, too.
   */
  failure(error: unknown, isSign = false): void {
    const isRejection = isInstance(error, StoreError) && !isSign;
    if (isRejection && this.#failures === 0) return void this.problem(error);
    if (this.#failures === 0 && !this.#log(error, true)) return;
    if (this.#failures++ === 0) this.#failingSince = this.#parts.ports.now();
  }

  /** Logs a problem that is not an outage. Returns false if another one was logged a moment ago. */
  problem(error: unknown): boolean {
    return this.#log(error, false);
  }

  /** Logs once that another version has written records that this one cannot read. */
  newer(problem: string): void {
    if (this.#newer.has(problem)) return;
    this.#newer.add(problem);
    this.#parts.report(new Error(problem), false);
  }

  /** Logs that the store works again, if it has failed. */
  restored(): void {
    const failures = this.#failures;
    if (failures === 0) return;
    this.#failures = 0;
    const seconds = Math.max(1, Math.round((this.#parts.ports.now() - this.#failingSince) / 1_000));
    const operations = failures === 1 ? "1 operation" : `${failures} operations`;
    this.#parts.warn("store-restored", `The store works again. ${operations} failed within ${seconds} s.`);
  }

  #log(error: unknown, isOutage: boolean): boolean {
    const now = this.#parts.ports.now();
    if (now - this.#lastReport < REPORT_MS) return false;
    this.#lastReport = now;
    this.#parts.report(error, isOutage);
    return true;
  }
}

/** Minimum time in milliseconds between two log entries about the store. */
const REPORT_MS = 5_000;
