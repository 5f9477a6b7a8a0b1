import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    typecheck: {
      enabled: true,
      checker: "tsc",
      include: ["tests/types/**/*.test-d.ts"],
      tsconfig: "tsconfig.json",
    },
    reporters: ["default", "./tests/support/summary-reporter.ts"],
    globalSetup: ["./tests/support/say-what-is-left-out.ts"],
    setupFiles: ["./tests/support/seed-properties.ts", "./tests/support/check-every-reply.ts"],
    testTimeout: 20_000,
    coverage: {
      provider: "v8",
      include: ["src/**"],
      reporter: ["text", "json-summary"],
      thresholds: {
        "src/protocol/**": { lines: 95 },
        "src/core/**": { lines: 95 },
      },
    },
  },
});
