/**
 * @fileoverview Contracts that every store must fulfill. They depend neither on a test runner nor on Node.js.
 * @module tenon/stores/contract/store-contracts
 */
import type { ContractCase } from "../../tasks/contract/harness.js";
import type { EventLogLimits } from "../event-limits.js";
import type { Bus, EventLog, KeyValueStore, RateLimits, SessionRecords } from "../ports.js";
import { BUS_CASES } from "./bus-cases.js";
import { bindCases } from "./case-context.js";
import { EVENT_LOG_CASES } from "./event-log-cases.js";
import { EVENT_LOG_LIMIT_CASES } from "./event-log-limit-cases.js";
import type { StoreHarness } from "./harness.js";
import { KEY_VALUE_CASES } from "./key-value-cases.js";
import { KEY_VALUE_EXPIRY_CASES } from "./key-value-expiry-cases.js";
import { RATE_LIMIT_CASES } from "./rate-limit-cases.js";
import { SESSION_RECORD_CASES, type SessionRecordLimits } from "./session-record-cases.js";
import { SESSION_MODEL_CASES } from "./session-record-model.js";

/**
 * Returns the cases for a key-value store. Run each one as a test, with Vitest, `node:test`, or Mocha.
 *
 * @example
 * const cases = keyValueContract({ createStore: () => createPostgresStore({ table: createTableName() }) });
 * describe("Postgres store", () => {
 *   for (const { title, run } of cases) test(title, run);
 * });
 */
export function keyValueContract(harness: StoreHarness<KeyValueStore>): readonly ContractCase[] {
  return bindCases(harness, [...KEY_VALUE_CASES, ...KEY_VALUE_EXPIRY_CASES]);
}

/** Returns the cases for an event log. Run each one as a test. */
export function eventLogContract(harness: StoreHarness<EventLog, EventLogLimits>): readonly ContractCase[] {
  return bindCases(harness, [...EVENT_LOG_CASES, ...EVENT_LOG_LIMIT_CASES]);
}

/** Returns the cases for a bus. Run each one as a test. */
export function busContract(harness: StoreHarness<Bus>): readonly ContractCase[] {
  return bindCases(harness, BUS_CASES);
}

/** Returns the cases for rate limits. Run each one as a test. */
export function rateLimitsContract(harness: StoreHarness<RateLimits>): readonly ContractCase[] {
  return bindCases(harness, RATE_LIMIT_CASES);
}

/** Returns the cases for the records of sessions, besides those for a key-value store. Run each one as a test. */
export function sessionRecordsContract(
  harness: StoreHarness<SessionRecords, SessionRecordLimits>,
): readonly ContractCase[] {
  return bindCases(harness, [...SESSION_RECORD_CASES, ...SESSION_MODEL_CASES]);
}
