/**
 * @fileoverview Results as each revision can carry them: what a revision cannot say becomes text, never a loss.
 * @module protocol/revisions/project-content
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ContentBlock, PromptResult, ToolResult } from "../content.js";
import type { Traits } from "./revision.js";

/** A tool's result for `traits`; the result itself where nothing has to change. */
export function projectToolResult(result: ToolResult, traits: Traits, wrapsOutput: boolean): ToolResult {
  if (traits.stateless) return result;
  const content = projectBlocks(result.content, traits);
  const structured = result.structuredContent;
  if (structured === undefined) return content === result.content ? result : { ...result, content };
  if (!traits.structured) {
    const { structuredContent: _, ...rest } = result;
    const said =
      content.length > 0 ? content : [{ type: "text", text: JSON.stringify(structured) ?? "null" } as const];
    return { ...rest, content: said };
  }
  // A failure follows no output schema, but its data must still be an object here.
  const wraps = !isJsonObject(structured) || (wrapsOutput && result.isError !== true);
  return wraps
    ? { ...result, content, structuredContent: { result: structured } }
    : content === result.content
      ? result
      : { ...result, content };
}

/** A prompt's result for `traits`. */
export function projectPromptResult(result: PromptResult, traits: Traits): PromptResult {
  if (traits.structured) return result;
  return {
    ...result,
    messages: result.messages.map((message) => ({
      ...message,
      content: projectBlock(message.content, traits),
    })),
  };
}

function projectBlocks(blocks: readonly ContentBlock[], traits: Traits): readonly ContentBlock[] {
  return traits.structured ? blocks : blocks.map((block) => projectBlock(block, traits));
}

function projectBlock(block: ContentBlock, traits: Traits): ContentBlock {
  if (block.type === "resource_link" && !traits.structured) {
    return { type: "text", text: `${block.title ?? block.name}: ${block.uri}` };
  }
  if (block.type === "audio" && !traits.annotations) {
    return { type: "text", text: `[audio ${block.mimeType}, ${block.data.length} base64 characters]` };
  }
  return block;
}

/** The parameters of a question to the client, as `traits` can ask it. */
export function projectClientRequest(method: string, params: JsonObject, traits: Traits): JsonObject {
  if (method === "elicitation/create" && !traits.icons) {
    const { mode: _, ...rest } = params;
    return rest;
  }
  if (method === "elicitation/create" && traits.stateless) {
    const { elicitationId: _, ...rest } = params;
    return rest;
  }
  if (method === "sampling/createMessage" && !traits.icons && Array.isArray(params["messages"])) {
    return { ...params, messages: params["messages"].map(singleBlock) };
  }
  return params;
}

/** Older clients know one block a message; several of them cannot be told, one can. */
function singleBlock(message: unknown): unknown {
  if (!isJsonObject(message) || !Array.isArray(message["content"])) return message;
  return message["content"].length === 1 ? { ...message, content: message["content"][0] } : message;
}
