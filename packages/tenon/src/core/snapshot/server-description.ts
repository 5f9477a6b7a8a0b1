/**
 * @fileoverview What a server serves, as data: for catalogues, command lines and pages.
 * @module core/server-description
 */
import type {
  Implementation,
  McpPromptDefinition,
  McpResourceDefinition,
  McpResourceTemplateDefinition,
  McpToolDefinition,
} from "../../protocol/index.js";
import type { Snapshot } from "./snapshot.js";
import type { ToolOutline } from "../definitions/tool.js";

/** All that a server serves. The definitions are frozen. */
export interface ServerDescription {
  readonly info: Implementation;
  readonly instructions?: string;
  readonly tools: readonly ToolDescription[];
  readonly resources: readonly McpResourceDefinition[];
  readonly resourceTemplates: readonly McpResourceTemplateDefinition[];
  readonly prompts: readonly McpPromptDefinition[];
}

/** One tool, with what clients are not told. */
export interface ToolDescription {
  readonly definition: McpToolDefinition;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  /** For a grouped tool, what it is made of or was taken from. */
  readonly outline?: ToolOutline;
}

/** Describes what a snapshot holds. */
export function describeServer(snapshot: Snapshot): ServerDescription {
  const { info, instructions } = snapshot.plan;
  return {
    info,
    ...(instructions === undefined ? {} : { instructions }),
    tools: Array.from(snapshot.tools.values(), ({ definition, tags, scopes, outline }) => ({
      definition,
      tags,
      scopes,
      ...(outline === undefined ? {} : { outline: outline() }),
    })),
    resources: Array.from(snapshot.resources.values(), ({ definition }) => definition),
    resourceTemplates: snapshot.templates.map(({ definition }) => definition),
    prompts: Array.from(snapshot.prompts.values(), ({ definition }) => definition),
  };
}
