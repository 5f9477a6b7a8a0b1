import { expectTypeOf, test } from "vitest";
import { defineServer } from "../../src/index.js";
import { serve, type ServeOptions } from "../../src/transport/node/index.js";
import type { SharedStore } from "../../src/stores/index.js";

const server = defineServer({ name: "types", version: "1.0.0" });

test("`workers` is a number or auto", () => {
  expectTypeOf<ServeOptions<unknown>["workers"]>().toEqualTypeOf<number | "auto" | undefined>();
  void (() => serve(server, { port: 0, workers: "auto", metrics: true }));
  // @ts-expect-error -- not a number of workers
  void (() => serve(server, { port: 0, workers: "all" }));
});

test("`store` is a shared store, not its URL", () => {
  expectTypeOf<ServeOptions<unknown>["store"]>().toEqualTypeOf<SharedStore | undefined>();
  // @ts-expect-error -- create the store with `redis({ url })`
  void (() => serve(server, { port: 0, store: "redis://127.0.0.1:6379" }));
});
