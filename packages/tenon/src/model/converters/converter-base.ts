/**
 * @fileoverview Conversion in both directions, of single values and of batches. Only this file contains the batch
 * logic.
 * @module model/converters/converter-base
 */

/** A value that may be missing. */
export type Maybe<T> = T | null | undefined;

/** Converts between two forms of a value. Batches leave out values that are null or convert to null. */
export abstract class ConverterBase<TSource, TTarget> {
  /** Converts sources to targets, in order. */
  convertFromBatch(sources: readonly Maybe<TSource>[]): TTarget[] {
    return convertAll(sources, (source) => this.convertFromSingle(source));
  }

  /** Converts targets to sources, in order. */
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
