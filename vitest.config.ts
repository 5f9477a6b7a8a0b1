import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./tests/support/slow-first.js";

/** Tests import packages by name, and get their source: the same map that the type checker uses. */
const { compilerOptions } = JSON.parse(readFileSync(new URL("tsconfig.json", import.meta.url), "utf8")) as {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly [string]>> };
};
const alias = Object.entries(compilerOptions.paths).map(([name, [path]]) => ({
  find: new RegExp(`^${name.replace("*", "(.+)")}$`),
  replacement: fileURLToPath(new URL(path.replace("*", "$1"), import.meta.url)),
}));

const EVERY_TEST = ["packages/*/tests/**/*.test.ts", "tests/**/*.test.ts"];
const NO_TEST = ["**/node_modules/**", "packages/create-tenon/templates/**"];

/** Tests of whole systems, which take minutes: `npm run test:system`. `npm test` runs all others. */
const SYSTEM = ["packages/*/tests/**/*.system.test.ts", "tests/**/*.system.test.ts"];

const PAGES = ["tests/{agent,dev}-page/**/*.system.test.ts"];

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        extends: true,
        // Test files share a worker and the modules that it has loaded, which halves their time. They leave no global state
        // behind. Modules that they import register no hooks, which would run for one file only: they call
        // `onTestFinished` or `afterFile`.
        test: {
          name: "fast",
          isolate: false,
          include: EVERY_TEST,
          exclude: [...NO_TEST, ...SYSTEM],
          typecheck: { enabled: false },
        },
      },
      { extends: true, test: { name: "types", include: [] } },
      {
        extends: true,
        test: {
          name: "system",
          include: SYSTEM,
          exclude: [...NO_TEST, ...PAGES],
          typecheck: { enabled: false },
        },
      },
      {
        extends: true,
        // Tests of pages share the browser of their worker.
        test: { name: "system-pages", isolate: false, include: PAGES, typecheck: { enabled: false } },
      },
    ],
    typecheck: {
      enabled: true,
      checker: "tsc",
      include: ["packages/*/tests/types/**/*.test-d.ts"],
      tsconfig: "tsconfig.types.json",
    },
    reporters: ["default", "./tests/support/summary-reporter.ts"],
    setupFiles: [
      "./tests/support/after-file.ts",
      "./tests/support/seed-properties.ts",
      "./tests/support/check-every-reply.ts",
      "./tests/support/patient-waits.ts",
    ],
    // By default, a machine with two cores gets one worker. Most tests wait for processes, sockets, and timers.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: SlowFirst },
    // Long enough for a busy machine: tests wait for conditions, and a hung one still ends.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**"],
      reporter: ["text", "json-summary"],
      thresholds: {
        "packages/tenon/src/protocol/**": { lines: 95 },
        "packages/tenon/src/core/**": { lines: 95 },
      },
    },
  },
});
