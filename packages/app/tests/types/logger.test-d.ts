import { expectTypeOf, test } from "vitest";
import type { Logger } from "tenon";
import type { AppLogger, ContextLogger, createLogger } from "../../src/index.js";
import type { ApplicationLogger } from "../../src/run-application.js";

type Created = Awaited<ReturnType<typeof createLogger>>;

/** Logger interfaces that applications and libraries commonly declare. */
interface Warning {
  warning(message: string, context?: Readonly<Record<string, unknown>>): void;
}
interface Variadic {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}

test("the application logger satisfies tenon's `Logger`", () => {
  expectTypeOf<AppLogger>().toExtend<Logger>();
  expectTypeOf<ContextLogger>().toExtend<Logger>();
  expectTypeOf<Created>().toExtend<Logger>();
});

test("first-run-d2: the application logger satisfies every `Logger` interface, with `warn` and with `warning`", () => {
  expectTypeOf<AppLogger>().toExtend<Logger & ApplicationLogger & Warning & Variadic>();
  expectTypeOf<Created>().toExtend<Logger & ApplicationLogger & Warning & Variadic>();
});
