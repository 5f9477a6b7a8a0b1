/**
 * @fileoverview Formats the definition that the model sees, with its token cost.
 * @module tenon/grouped/preview
 */
import type { McpToolDefinition } from "../protocol/index.js";

/** Options for `previewPrompt`. */
export interface PreviewOptions {
  /**
   * Counts tokens with the model's tokenizer.
   *
   * @default an estimate of one token per four characters
   * @example (text) => encode(text).length // `encode` from gpt-tokenizer
   */
  readonly countTokens?: (text: string) => number;
}

/** Formats a tool definition as readable text, followed by its token count. */
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
