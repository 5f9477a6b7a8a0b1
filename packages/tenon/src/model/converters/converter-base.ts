/**
 * @fileoverview Conversion in both directions, one by one or by the batch. The logic of batches is here and nowhere
 * else.
 * @module model/converters/converter-base
 */

/** One thing, or nothing where there is none. */
export type Maybe<T> = T | null | undefined;

/** Converts between two forms of the same thing; what is nothing, before or after, is left out of a batch. */
export abstract class ConverterBase<TSource, TTarget> {
  /** The targets of all sources, in their order. */
  convertFromBatch(sources: readonly Maybe<TSource>[]): TTarget[] {
    return convertAll(sources, (source) => this.convertFromSingle(source));
  }

  /** The sources of all targets, in their order. */
  convertToBatch(targets: readonly Maybe<TTarget>[]): TSource[] {
    return convertAll(targets, (target) => this.convertToSingle(target));
  }

  protected abstract convertFromSingle(source: TSource): Maybe<TTarget>;

  protected abstract convertToSingle(target: TTarget): Maybe<TSource>;
}

function convertAll<A, B>(batch: readonly Maybe<A>[], convert: (item: A) => Maybe<B>): B[] {
  const converted: B[] = [];
  for (const item of batch) {
    const result = item === null || item === undefined ? undefined : convert(item);
    if (result !== null && result !== undefined) converted.push(result);
  }
  return converted;
}
