/**
 * @fileoverview Describes a server's definitions as data, for catalogs, command lines, and web pages.
 * @module tenon/core/snapshot/server-description
 */
import type { Implementation, McpResourceDefinition, McpToolDefinition } from "../../protocol/index.js";
import type { McpPromptDefinition, McpResourceTemplateDefinition } from "../../protocol/definitions.js";
import type { Snapshot } from "./snapshot.js";
import type { ToolOutline } from "../definitions/tool.js";

/** A server's name, instructions, and current definitions. The definitions are frozen. */
export interface ServerDescription {
  readonly info: Implementation;
  readonly instructions?: string;
  readonly tools: readonly ToolDescription[];
  readonly resources: readonly McpResourceDefinition[];
  readonly resourceTemplates: readonly McpResourceTemplateDefinition[];
  readonly prompts: readonly McpPromptDefinition[];
}

/** Tool definition, with the tags and scopes that clients do not receive. */
export interface ToolDescription {
  readonly definition: McpToolDefinition;
  readonly tags: readonly string[];
  /** Scopes that every call requires. The actions of a grouped tool may require others in addition. */
  readonly scopes: readonly string[];
  /** Actions, if the tool is a grouped tool. */
  readonly outline?: ToolOutline;
}

/** Describes a snapshot's definitions, including those that require scopes. */
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
