/**
 * @fileoverview Setup of every test file: properties are tried with the same values in every run, so that the same
 * code gives the same result. `PROPERTY_SEED=random npm test` tries others; a number repeats a run.
 * @module tests/support/seed-properties
 */
import * as fc from "fast-check";

const wanted = process.env["PROPERTY_SEED"] ?? "1";
if (wanted !== "random") {
  const seed = Number(wanted);
  if (!Number.isInteger(seed)) throw new Error("PROPERTY_SEED must be a whole number or the word random");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
