/**
 * @fileoverview Base class for prompt converters, with typed method names.
 * @module model/converters/prompt-converter-base
 */
import type { Prompt } from "../prompt.js";
import { ConverterBase, type Maybe } from "./converter-base.js";

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
