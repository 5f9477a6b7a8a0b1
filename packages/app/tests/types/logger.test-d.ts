import { expectTypeOf, test } from "vitest";
import type { Logger } from "tenon";
import type { AppLogger, ContextLogger, createLogger } from "../../src/index.js";

test("the application logger satisfies tenon's `Logger`", () => {
  expectTypeOf<AppLogger>().toExtend<Logger>();
  expectTypeOf<ContextLogger>().toExtend<Logger>();
  expectTypeOf<Awaited<ReturnType<typeof createLogger>>>().toExtend<Logger>();
});
