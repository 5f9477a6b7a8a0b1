/**
 * @fileoverview Base class for converters of tool annotations, with typed method names.
 * @module model/converters/tool-annotations-converter-base
 */
import type { ToolAnnotations } from "../tool-annotations.js";
import { ConverterBase, type Maybe } from "./converter-base.js";

/**
 * Converts between `ToolAnnotations` and `T`. Each value holds all annotations of one tool. Subclasses implement
 * `convertFromToolAnnotation` and `convertToToolAnnotation`.
 */
export abstract class ToolAnnotationsConverterBase<T> extends ConverterBase<ToolAnnotations, T> {
  convertFromToolAnnotations(annotations: readonly Maybe<ToolAnnotations>[]): T[] {
    return this.convertFromBatch(annotations);
  }

  convertToToolAnnotations(targets: readonly Maybe<T>[]): ToolAnnotations[] {
    return this.convertToBatch(targets);
  }

  abstract convertFromToolAnnotation(annotation: ToolAnnotations): Maybe<T>;

  abstract convertToToolAnnotation(target: T): Maybe<ToolAnnotations>;

  protected override convertFromSingle(annotation: ToolAnnotations): Maybe<T> {
    return this.convertFromToolAnnotation(annotation);
  }

  protected override convertToSingle(target: T): Maybe<ToolAnnotations> {
    return this.convertToToolAnnotation(target);
  }
}
