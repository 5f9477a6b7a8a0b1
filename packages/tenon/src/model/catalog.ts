/**
 * @fileoverview Builds a tree of everything that a server offers, for command-line tools, web pages, and documentation.
 * @module tenon/model/catalog
 */
import type { OutlinedAction } from "../core/definitions/tool.js";
import type { ServerDescription, ToolDescription } from "../core/snapshot/server-description.js";
import { type McpResourceDefinition, type McpToolDefinition } from "../protocol/index.js";
import { type McpPromptDefinition, RETURN_DIRECT_META } from "../protocol/definitions.js";
import {
  Group,
  type ModelOptions,
  Prompt,
  PromptArgument,
  Resource,
  Tool,
  ToolAnnotations,
} from "./models.js";

/** Keys that `catalog` sets in the `meta` of tools and resources. */
export const CATALOG_META = {
  /** The tags of a tool. */
  tags: "tenon/tags",
  /** The call that runs a tool. Set for each action of a grouped tool. */
  call: "tenon/call",
  /** Set to `true` if the `uri` of a resource is a URI template. */
  template: "tenon/template",
} as const;

/** Server or server builder that `catalog` accepts. */
export type Catalogued =
  | { readonly describe: () => ServerDescription }
  | { readonly build: () => { readonly describe: () => ServerDescription } };

/**
 * Builds the tree of a server's tools, prompts, and resources. The root is a group with the server's name. A grouped
 * tool becomes a child group with one tool per action, even if the server exposes each action as its own tool. The
 * tree is a snapshot: later changes to the server do not affect it.
 */
export function catalog(server: Catalogued): Group {
  const description = ("build" in server ? server.build() : server).describe();
  const { info } = description;
  const root = new Group(info.name, { title: info.title, description: info.description, icons: info.icons });
  const groups = new GroupIndex(root);
  for (const tool of description.tools) addTool(groups, tool);
  for (const prompt of description.prompts) root.addChildPrompt(toPrompt(prompt));
  for (const resource of description.resources) root.addChildResource(toResource(resource));
  for (const { uriTemplate, ...template } of description.resourceTemplates) {
    const resource = toResource({ ...template, uri: uriTemplate });
    resource.meta = { ...resource.meta, [CATALOG_META.template]: true };
    root.addChildResource(resource);
  }
  return root;
}

/** Finds child groups by name and creates them on first use. */
class GroupIndex {
  readonly #known = new Map<Group, Map<string, Group>>();

  constructor(readonly root: Group) {}

  below(parent: Group, name: string, description: string | undefined): Group {
    const siblings = this.#known.get(parent) ?? new Map<string, Group>();
    this.#known.set(parent, siblings);
    const known = siblings.get(name);
    if (known !== undefined) return known;
    const group = new Group(name, { description });
    siblings.set(name, group);
    parent.addChildGroup(group);
    return group;
  }
}

function addTool(groups: GroupIndex, { definition, tags, outline }: ToolDescription): void {
  if (outline === undefined) {
    groups.root.addChildTool(toTool(definition, tags));
    return;
  }
  const whole = groups.below(groups.root, outline.tool, outline.description);
  for (const { name, group, definition: own, call } of outline.actions) {
    const place = group === undefined ? whole : groups.below(whole, group.name, group.description);
    place.addChildTool(toTool({ ...own, name }, tags, call));
  }
}

/** Converts a definition. `returnDirect`, which MCP does not define, moves from `_meta` to the annotations. */
function toTool(definition: McpToolDefinition, tags: readonly string[], call?: OutlinedAction["call"]): Tool {
  const { name, inputSchema, outputSchema, annotations: hints } = definition;
  const { [RETURN_DIRECT_META]: direct, ...rest } = definition._meta ?? {};
  const returnDirect = typeof direct === "boolean" ? direct : undefined;
  const meta = {
    ...(returnDirect === undefined ? definition._meta : rest),
    ...(tags.length > 0 ? { [CATALOG_META.tags]: tags } : {}),
    ...(call === undefined ? {} : { [CATALOG_META.call]: call }),
  };
  const hasAnnotations = hints !== undefined || returnDirect !== undefined;
  return new Tool(name, {
    ...toOptions(definition),
    meta: Object.keys(meta).length > 0 ? meta : undefined,
    inputSchema,
    outputSchema,
    annotations: hasAnnotations ? new ToolAnnotations({ ...hints, returnDirect }) : undefined,
  });
}

function toPrompt(definition: McpPromptDefinition): Prompt {
  const list = (definition.arguments ?? []).map(({ name, ...options }) => new PromptArgument(name, options));
  return new Prompt(definition.name, { ...toOptions(definition), arguments: list });
}

function toResource(definition: McpResourceDefinition): Resource {
  const { name, uri, mimeType, size, annotations } = definition;
  return new Resource(name, { ...toOptions(definition), uri, mimeType, size, annotations });
}

/** Returns the members that all definitions share. */
function toOptions({ title, description, icons, _meta }: McpPromptDefinition): ModelOptions {
  return { title, description, icons, meta: _meta };
}
