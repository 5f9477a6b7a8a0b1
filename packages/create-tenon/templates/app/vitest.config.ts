/**
 * @fileoverview Vitest configuration.
 * @module vitest.config
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/support/log.ts"],
    env: { NOTES_DATABASE_PATH: ":memory:" }, // takes precedence over .env
    testTimeout: 15_000, // generous, for slow machines
    coverage: { provider: "v8", include: ["src/**"] },
  },
});
