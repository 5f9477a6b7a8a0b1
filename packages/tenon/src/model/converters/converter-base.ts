/**
 * @fileoverview Base class for converters between two types. It converts batches, and subclasses convert single values.
 * @module model/converters/converter-base
 */

/** Value that may be null or undefined. */
export type Maybe<T> = T | null | undefined;

/** Converts values between two types. Batches skip null and undefined, both before and after conversion. */
export abstract class ConverterBase<TSource, TTarget> {
  /** Converts sources to targets and keeps their order. */
  convertFromBatch(sources: readonly Maybe<TSource>[]): TTarget[] {
    return convertAll(sources, (source) => this.convertFromSingle(source));
  }

  /** Converts targets to sources and keeps their order. */
  convertToBatch(targets: readonly Maybe<TTarget>[]): TSource[] {
    return convertAll(targets, (target) => this.convertToSingle(target));
  }

  /** Converts one source. The batch skips it if the result is null or undefined. */
  protected abstract convertFromSingle(source: TSource): Maybe<TTarget>;

  /** Converts one target. The batch skips it if the result is null or undefined. */
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
