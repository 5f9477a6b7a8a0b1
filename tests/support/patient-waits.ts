/**
 * @fileoverview Raises the default timeout of `vi.waitFor`, because one second is too short on a busy machine. Vitest
 * has an option for `expect.poll`, but none for this function.
 * @module tests/support/patient-waits
 */
import { vi } from "vitest";

const { waitFor } = vi;

vi.waitFor = (callback, options) => waitFor(callback, options ?? { timeout: 30_000, interval: 10 });
