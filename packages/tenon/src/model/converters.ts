/**
 * @fileoverview Base classes for converters between models and another type. The batch code is in `ConverterBase`; the
 * other classes add typed method names.
 * @module tenon/model/converters
 */
import type { Group, Prompt, Resource, Tool, ToolAnnotations } from "./models.js";

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

/** Converts between `Tool` and `T`. Subclasses implement `convertFromTool` and `convertToTool`. */
export abstract class ToolConverterBase<T> extends ConverterBase<Tool, T> {
  convertFromTools(tools: readonly Maybe<Tool>[]): T[] {
    return this.convertFromBatch(tools);
  }

  convertToTools(targets: readonly Maybe<T>[]): Tool[] {
    return this.convertToBatch(targets);
  }

  abstract convertFromTool(tool: Tool): Maybe<T>;

  abstract convertToTool(target: T): Maybe<Tool>;

  protected override convertFromSingle(tool: Tool): Maybe<T> {
    return this.convertFromTool(tool);
  }

  protected override convertToSingle(target: T): Maybe<Tool> {
    return this.convertToTool(target);
  }
}

/** Converts between `Group` and `T`. Subclasses implement `convertFromGroup` and `convertToGroup`. */
export abstract class GroupConverterBase<T> extends ConverterBase<Group, T> {
  convertFromGroups(groups: readonly Maybe<Group>[]): T[] {
    return this.convertFromBatch(groups);
  }

  convertToGroups(targets: readonly Maybe<T>[]): Group[] {
    return this.convertToBatch(targets);
  }

  abstract convertFromGroup(group: Group): Maybe<T>;

  abstract convertToGroup(target: T): Maybe<Group>;

  protected override convertFromSingle(group: Group): Maybe<T> {
    return this.convertFromGroup(group);
  }

  protected override convertToSingle(target: T): Maybe<Group> {
    return this.convertToGroup(target);
  }
}

/** Converts between `Prompt` and `T`. Subclasses implement `convertFromPrompt` and `convertToPrompt`. */
export abstract class PromptConverterBase<T> extends ConverterBase<Prompt, T> {
  convertFromPrompts(prompts: readonly Maybe<Prompt>[]): T[] {
    return this.convertFromBatch(prompts);
  }

  convertToPrompts(targets: readonly Maybe<T>[]): Prompt[] {
    return this.convertToBatch(targets);
  }

  abstract convertFromPrompt(prompt: Prompt): Maybe<T>;

  abstract convertToPrompt(target: T): Maybe<Prompt>;

  protected override convertFromSingle(prompt: Prompt): Maybe<T> {
    return this.convertFromPrompt(prompt);
  }

  protected override convertToSingle(target: T): Maybe<Prompt> {
    return this.convertToPrompt(target);
  }
}

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

function convertAll<A, B>(batch: readonly Maybe<A>[], convert: (item: A) => Maybe<B>): B[] {
  return batch.flatMap((item) => {
    const result = item === null || item === undefined ? undefined : convert(item);
    return result === null || result === undefined ? [] : [result];
  });
}
