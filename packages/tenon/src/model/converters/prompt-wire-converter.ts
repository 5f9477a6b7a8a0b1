/**
 * @fileoverview Converts prompts to and from their MCP definitions.
 * @module model/converters/prompt-wire-converter
 */
import type { McpPromptArgumentDefinition, McpPromptDefinition } from "../../protocol/index.js";
import { PromptArgument } from "../prompt-argument.js";
import { Prompt } from "../prompt.js";
import { fromDescribed, toDescribed, withoutUndefined } from "./described.js";
import { PromptConverterBase } from "./prompt-converter-base.js";

/**
 * Converts between prompts and their MCP definitions. Drops parent groups, and the `meta` and icons of arguments, which
 * MCP does not define.
 */
export class PromptWireConverter extends PromptConverterBase<McpPromptDefinition> {
  override convertFromPrompt(prompt: Prompt): McpPromptDefinition {
    const taken = prompt.arguments.map(toArgumentDefinition);
    return { ...toDescribed(prompt), ...(taken.length === 0 ? {} : { arguments: taken }) };
  }

  override convertToPrompt(definition: McpPromptDefinition): Prompt {
    const taken = (definition.arguments ?? []).map(fromArgumentDefinition);
    return new Prompt(definition.name, { ...fromDescribed(definition), arguments: taken });
  }
}

function toArgumentDefinition(argument: PromptArgument): McpPromptArgumentDefinition {
  const { name, title, description, required } = argument;
  return { name, ...withoutUndefined({ title, description, required }) };
}

function fromArgumentDefinition(definition: McpPromptArgumentDefinition): PromptArgument {
  const { name, title, description, required } = definition;
  return new PromptArgument(name, { title, description, required });
}
