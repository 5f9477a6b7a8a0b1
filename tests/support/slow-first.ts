/**
 * @fileoverview Order of the test files: the slowest ones start first. Otherwise, one of them would run alone at the end.
 * @module tests/support/slow-first
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Slowest test files of both tiers, without `.test.ts`, in the order in which they start. Load tests are mixed with tests
 * that mostly wait for npm.
 */
const SLOW = [
  "tests/template/scaffold",
  "tests/load/attack",
  "tests/package/packed",
  "tests/load/chaos",
  "tests/template/templates",
  "tests/load/soak",
  "tests/conformance/conformance",
  "tests/load/load",
  "tests/load/fuzz",
  "packages/tenon/tests/tasks/property",
  "packages/redis/tests/tasks/faults",
  "tests/examples",
  "packages/cli/tests/bundle/bundle",
  "packages/cli/tests/dev/under-load",
  "packages/sdk/tests/official-examples/server-examples",
  "tests/package/quick-start",
  "tests/package/installations",
  "tests/conformance/client",
  "tests/dev-page/questions",
  "tests/dev-page/accessibility",
  "tests/package/new-project",
  "packages/kit/tests/mounts",
  "packages/redis/tests/tasks/contract",
  "packages/tenon/tests/tasks/contract",
  "packages/kit/tests/sdk-contract",
  "tests/package/docs",
];

/** Sorts the slowest files to the front, and keeps the order of the others. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = SLOW.findIndex((name) => moduleId.includes(`/${name}.`));
      return index === -1 ? SLOW.length : index;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
