/**
 * @fileoverview Base class for resource converters, with typed method names.
 * @module model/converters/resource-converter-base
 */
import type { Resource } from "../resource.js";
import { ConverterBase, type Maybe } from "./converter-base.js";

/** Converts between `Resource` and `T`. Subclasses implement `convertFromResource` and `convertToResource`. */
export abstract class ResourceConverterBase<T> extends ConverterBase<Resource, T> {
  convertFromResources(resources: readonly Maybe<Resource>[]): T[] {
    return this.convertFromBatch(resources);
  }

  convertToResources(targets: readonly Maybe<T>[]): Resource[] {
    return this.convertToBatch(targets);
  }

  abstract convertFromResource(resource: Resource): Maybe<T>;

  abstract convertToResource(target: T): Maybe<Resource>;

  protected override convertFromSingle(resource: Resource): Maybe<T> {
    return this.convertFromResource(resource);
  }

  protected override convertToSingle(target: T): Maybe<Resource> {
    return this.convertToResource(target);
  }
}
