/**
 * @fileoverview Shows the definition that a model sees and its cost in tokens.
 * @module grouped/preview
 */
import type { McpToolDefinition } from "../protocol/index.js";

/** Options of a preview. */
export interface PreviewOptions {
  /**
   * Counts tokens as the model does. By default, the count is estimated as one token for four characters.
   *
   * @example (text) => encode(text).length // encode of gpt-tokenizer
   */
  readonly countTokens?: (text: string) => number;
}

/** Formats the definition that is sent to the model, and its token count. */
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
