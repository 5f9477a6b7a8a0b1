/**
 * @fileoverview Describes the definitions of a server as data, for catalogs, command lines and web pages.
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

/** Definitions that a server serves. They are frozen. */
export interface ServerDescription {
  readonly info: Implementation;
  readonly instructions?: string;
  readonly tools: readonly ToolDescription[];
  readonly resources: readonly McpResourceDefinition[];
  readonly resourceTemplates: readonly McpResourceTemplateDefinition[];
  readonly prompts: readonly McpPromptDefinition[];
}

/** Tool definition with its tags and scopes, which clients do not receive. */
export interface ToolDescription {
  readonly definition: McpToolDefinition;
  readonly tags: readonly string[];
  readonly scopes: readonly string[];
  /** Actions of a grouped tool. */
  readonly outline?: ToolOutline;
}

/** Describes the definitions of a snapshot. */
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
