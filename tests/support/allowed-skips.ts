/**
 * @fileoverview Tests that may be skipped in CI, because they do not apply to its machine. Every other skipped test is a
 * failure there: a program is missing, or the registry could not be reached.
 * @module tests/support/allowed-skips
 */

/** A skipped test. */
export interface SkippedTest {
  /** Path of the test file, relative to the root. */
  readonly file: string;
  /** Titles of the test and the suites that contain it. */
  readonly title: string;
}

/** Test that may be skipped, with the reason. */
interface AllowedSkip {
  readonly file: string;
  readonly title: RegExp;
  readonly reason: string;
}

const NO_MOUNTS = "Not every system lets a user mount a file system.";

const ALLOWED: readonly AllowedSkip[] = [
  {
    file: "packages/agent/tests/models/ai-sdk-packages.test.ts",
    title: /need Node\.js \d+$/,
    reason: "The packages need a newer Node.js. ai-sdk-newer-node.system.test.ts tests them on one.",
  },
  {
    file: "packages/agent/tests/models/ai-sdk-newer-node.system.test.ts",
    title: /./,
    reason: "On a newer Node.js, ai-sdk-packages.test.ts runs the same tests.",
  },
  {
    file: "packages/agent/tests/storage/remove-tasks.test.ts",
    title: /./,
    reason: "Root can remove every file.",
  },
  {
    file: "packages/agent/tests/storage/full-disk.test.ts",
    title: /^on a full disk/,
    reason: NO_MOUNTS,
  },
  ...[
    "packages/agent/tests/storage/broken-disk.test.ts",
    "packages/app/tests/logging/broken-disk.test.ts",
    "packages/cli/tests/bundle/broken-disk.system.test.ts",
    "packages/cli/tests/install/broken-disk.test.ts",
    "packages/oauth/tests/broken-disk.test.ts",
    "packages/tenon/tests/tasks/broken-disk.test.ts",
  ].map((file) => ({ file, title: /./, reason: NO_MOUNTS })),
  {
    file: "packages/tenon/tests/transport/node-buffer.test.ts",
    title: /serves on HTTP$/,
    reason: "Since version 22, node:http itself needs the global that the test removes.",
  },
];

/** Returns the reason why a test may be skipped, or `undefined` if it must run in CI. */
export function allowedSkip({ file, title }: SkippedTest): string | undefined {
  return ALLOWED.find((one) => one.file === file && one.title.test(title))?.reason;
}

/** Files with tests that may be skipped. */
export const ALLOWED_FILES: readonly string[] = ALLOWED.map(({ file }) => file);
