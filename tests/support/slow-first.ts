/**
 * @fileoverview Order of the test files: the slowest ones start first. Otherwise, one of them would run alone at the end.
 * @module tests/support/slow-first
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Slowest test files, in the order in which they start. Load tests are mixed with tests that mostly wait for npm. */
const SLOW = [
  "tests/template/scaffold.test.ts",
  "tests/load/attack.test.ts",
  "tests/package/packed.test.ts",
  "tests/load/chaos.test.ts",
  "tests/template/templates.test.ts",
  "tests/load/soak.test.ts",
  "tests/conformance/conformance.test.ts",
  "packages/cli/tests/tokens/tokens.test.ts",
  "packages/cli/tests/dev/under-load.test.ts",
  "tests/load/load.test.ts",
  "tests/load/fuzz.test.ts",
  "tests/conformance/client.test.ts",
  "tests/dev-page/questions.test.ts",
  "tests/dev-page/accessibility.test.ts",
];

/** Sorts the slowest files to the front, and keeps the order of the others. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const index = SLOW.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? SLOW.length : index;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
