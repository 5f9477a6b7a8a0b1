/**
 * @fileoverview How the tests run.
 * @module vitest.config
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/support/log.ts"],
    testTimeout: 15_000, // for busy machines
    coverage: { provider: "v8", include: ["src/**"] },
  },
});
