/**
 * @fileoverview Projects results to the content that a revision supports. Unsupported content becomes text.
 * @module tenon/protocol/revisions/project-content
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ContentBlock, PromptResult, ToolResult } from "../content.js";
import type { Traits } from "./revision.js";

/** Projects a tool's result to `traits`. Returns the same object if nothing has to change. */
export function projectToolResult(result: ToolResult, traits: Traits, wrapsOutput: boolean): ToolResult {
  const content = projectBlocks(result.content, traits);
  const structured = result.structuredContent;
  if (structured === undefined) return content === result.content ? result : { ...result, content };
  if (!traits.structuredOutput) {
    const { structuredContent: _, ...rest } = result;
    const blocks =
      content.length > 0 ? content : [{ type: "text", text: JSON.stringify(structured) ?? "null" } as const];
    return { ...rest, content: blocks };
  }
  // An error's data does not follow the output schema, but legacy revisions still require an object.
  const wraps =
    !traits.anyOutputType && (!isJsonObject(structured) || (wrapsOutput && result.isError !== true));
  return wraps
    ? { ...result, content, structuredContent: { result: structured } }
    : content === result.content
      ? result
      : { ...result, content };
}

/** Projects a prompt's result to `traits`. Returns the same object if nothing has to change. */
export function projectPromptResult(result: PromptResult, traits: Traits): PromptResult {
  if (hasEveryBlock(traits)) return result;
  return {
    ...result,
    messages: result.messages.map((message) => ({
      ...message,
      content: projectBlock(message.content, traits),
    })),
  };
}

function projectBlocks(blocks: readonly ContentBlock[], traits: Traits): readonly ContentBlock[] {
  return hasEveryBlock(traits) ? blocks : blocks.map((block) => projectBlock(block, traits));
}

/** Returns true if a revision supports all content block types. */
function hasEveryBlock(traits: Traits): boolean {
  return traits.resourceLinks && traits.audioContent;
}

function projectBlock(block: ContentBlock, traits: Traits): ContentBlock {
  if (block.type === "resource_link" && !traits.resourceLinks) {
    return { type: "text", text: `${block.title ?? block.name}: ${block.uri}` };
  }
  if (block.type === "audio" && !traits.audioContent) {
    return { type: "text", text: `[audio ${block.mimeType}, ${block.data.length} base64 characters]` };
  }
  return block;
}

/** Projects the parameters of a server-to-client request to `traits`. */
export function projectClientRequest(method: string, params: JsonObject, traits: Traits): JsonObject {
  if (method === "elicitation/create" && !traits.urlElicitation) {
    const { mode: _, ...rest } = params;
    return rest;
  }
  if (method === "elicitation/create" && !traits.elicitationIds) {
    const { elicitationId: _, ...rest } = params;
    return rest;
  }
  if (method === "sampling/createMessage" && !traits.samplingBlocks && Array.isArray(params["messages"])) {
    return { ...params, messages: params["messages"].map(singleBlock) };
  }
  return params;
}

/** Unwraps an array with a single block, because older clients support only one block per message. */
function singleBlock(message: unknown): unknown {
  if (!isJsonObject(message) || !Array.isArray(message["content"])) return message;
  return message["content"].length === 1 ? { ...message, content: message["content"][0] } : message;
}
