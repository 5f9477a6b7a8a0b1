/**
 * @fileoverview What a model sees of a tool, and what that costs.
 * @module grouped/preview
 */
import type { McpToolDefinition } from "../protocol/index.js";

/** How a preview is made. */
export interface PreviewOptions {
  /**
   * Counts tokens as the model does; without it the count is an estimate of one token for four characters.
   *
   * @example (text) => encode(text).length // encode of gpt-tokenizer
   */
  readonly countTokens?: (text: string) => number;
}

/** The definition as it goes to the model, in readable form, and its tokens. */
export function describePrompt(definition: McpToolDefinition, options: PreviewOptions = {}): string {
  const { name, description = "", inputSchema, annotations } = definition;
  const wire = JSON.stringify(definition);
  const tokens = options.countTokens?.(wire);
  const cost = tokens === undefined ? `about ${Math.ceil(wire.length / 4)}` : String(tokens);
  return [
    `Tool: ${name}`,
    "",
    description,
    "",
    "Input:",
    JSON.stringify(inputSchema, undefined, 2),
    "",
    `Hints: ${JSON.stringify(annotations ?? {})}`,
    `Tokens: ${cost} (${wire.length} characters of JSON)`,
  ].join("\n");
}
