/**
 * @fileoverview Composes middleware around a handler at build time.
 * @module tenon/core/call/compose
 */

/** Function around a handler. It can change or reject an operation, or call `next()` to continue. */
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
