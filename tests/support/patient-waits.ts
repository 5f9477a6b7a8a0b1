/**
 * @fileoverview Raises the default timeout of `vi.waitFor` from one second: on a busy machine a condition can take longer.
 * Vitest has an option for `expect.poll`, but none for this function.
 * @module tests/support/patient-waits
 */
import { vi } from "vitest";

const { waitFor } = vi;

vi.waitFor = (callback, options) => waitFor(callback, options ?? { timeout: 30_000, interval: 10 });
