/**
 * @fileoverview Prompt in the domain model.
 * @module model/prompt
 */
import type { ModelOptions } from "./base-model.js";
import type { PromptFields } from "./fields.js";
import { GroupItem } from "./group.js";
import type { PromptArgument } from "./prompt-argument.js";

/** Options for `Prompt`. */
export type PromptOptions = ModelOptions & Partial<PromptFields>;

/** Prompt with an ordered list of arguments. It can belong to more than one group. */
export class Prompt extends GroupItem implements PromptFields {
  arguments: readonly PromptArgument[];

  constructor(name: string, options: PromptOptions = {}) {
    super(name, options);
    this.arguments = options.arguments ?? [];
  }
}
