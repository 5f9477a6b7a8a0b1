/**
 * @fileoverview Typed method names for converting prompts.
 * @module model/converters/prompt-converter-base
 */
import type { Prompt } from "../prompt.js";
import { ConverterBase, type Maybe } from "./converter-base.js";

/** Converts between `Prompt` and another form. Subclasses implement the conversion of one prompt. */
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
