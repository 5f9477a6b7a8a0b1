/**
 * @fileoverview Middleware, folded around the handler once at build.
 * @module core/compose
 */

/** A layer around a handler: it may look, change, refuse, or hand on with `next()`. */
export type Layer<C, R> = (operation: C, next: () => R) => R;

/** Folds layers around a handler, the first one outermost. */
export function compose<C, R>(
  layers: readonly Layer<C, R>[],
  handler: (operation: C) => R,
): (operation: C) => R {
  return layers.reduceRight<(operation: C) => R>(
    (inner, layer) => (operation) => layer(operation, () => inner(operation)),
    handler,
  );
}
