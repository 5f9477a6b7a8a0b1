/**
 * @fileoverview Composes middleware around a handler once, at build time.
 * @module core/compose
 */

/** Middleware around a handler. It can inspect, change or reject the operation, or continue with `next()`. */
export type Layer<C, R> = (operation: C, next: () => R) => R;

/** Composes layers around a handler. The first layer is the outermost. */
export function compose<C, R>(
  layers: readonly Layer<C, R>[],
  handler: (operation: C) => R,
): (operation: C) => R {
  return layers.reduceRight<(operation: C) => R>(
    (inner, layer) => (operation) => layer(operation, () => inner(operation)),
    handler,
  );
}
