/**
 * @fileoverview Setup for every test file. Property tests use the same values in every run, so that results are
 * reproducible. `PROPERTY_SEED=random npm test` uses random values, and a number repeats a run.
 * @module tests/support/seed-properties
 */
import * as fc from "fast-check";

const wanted = process.env["PROPERTY_SEED"] ?? "1";
if (wanted !== "random") {
  const seed = Number(wanted);
  if (!Number.isInteger(seed)) throw new Error('PROPERTY_SEED must be an integer or "random".');
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
