/**
 * @fileoverview A prompt in the domain model.
 * @module model/prompt
 */
import type { ModelOptions } from "./base-model.js";
import type { PromptFields } from "./fields.js";
import { GroupItem } from "./group.js";
import type { PromptArgument } from "./prompt-argument.js";

/** Options of a prompt. */
export type PromptOptions = ModelOptions & Partial<PromptFields>;

/** A prompt and its arguments. */
export class Prompt extends GroupItem implements PromptFields {
  arguments: readonly PromptArgument[];

  constructor(name: string, options: PromptOptions = {}) {
    super(name, options);
    this.arguments = options.arguments ?? [];
  }
}
