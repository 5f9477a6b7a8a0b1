/**
 * @fileoverview Cleans up after each test file. A module that test files import cannot register a hook for that: files
 * that share a worker evaluate it only once. Vitest evaluates this module for each file, as one of its setup files.
 * @module tests/support/after-file
 */
import { afterAll } from "vitest";

type CleanUp = () => unknown;

// Shared by all evaluations of this module.
const cleanUps = ((globalThis as { tenonCleanUps?: CleanUp[] }).tenonCleanUps ??= []);

afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Registers a function that runs after all tests of the current file. */
export function afterFile(cleanUp: CleanUp): void {
  cleanUps.push(cleanUp);
}
