/**
 * @fileoverview Builds a tree of everything that a server offers, for command-line tools, web pages, and documentation.
 * @module model/catalog
 */
import type { OutlinedAction } from "../../core/definitions/tool.js";
import type { ServerDescription, ToolDescription } from "../../core/snapshot/server-description.js";
import type { McpResourceTemplateDefinition } from "../../protocol/index.js";
import { PromptWireConverter } from "./prompt-wire-converter.js";
import { ResourceWireConverter } from "./resource-wire-converter.js";
import { ToolWireConverter } from "./tool-wire-converter.js";
import { Group } from "../group.js";
import type { Resource } from "../resource.js";
import type { Tool } from "../tool.js";

/** Key in a tool's `meta` for its tags. */
export const TAGS_META = "tenon/tags";

/** Key in a tool's `meta` for the call that runs it. Set for each action of a grouped tool. */
export const CALL_META = "tenon/call";

/** Key in a resource's `meta`. Set to `true` if the `uri` is a URI template. */
export const TEMPLATE_META = "tenon/template";

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
  for (const prompt of new PromptWireConverter().convertToPrompts(description.prompts)) {
    root.addChildPrompt(prompt);
  }
  for (const resource of new ResourceWireConverter().convertToResources(description.resources)) {
    root.addChildResource(resource);
  }
  for (const template of description.resourceTemplates) root.addChildResource(toTemplate(template));
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
    groups.root.addChildTool(toTool({ definition, tags }));
    return;
  }
  const whole = groups.below(groups.root, outline.tool, outline.description);
  for (const { name, group, definition: own, call } of outline.actions) {
    const place = group === undefined ? whole : groups.below(whole, group.name, group.description);
    place.addChildTool(toTool({ definition: { ...own, name }, tags, call }));
  }
}

/** Converts a resource template to a resource whose `uri` is the template. */
function toTemplate({ uriTemplate, ...rest }: McpResourceTemplateDefinition): Resource {
  const resource = new ResourceWireConverter().convertToResource({ ...rest, uri: uriTemplate });
  resource.meta = { ...resource.meta, [TEMPLATE_META]: true };
  return resource;
}

function toTool(
  one: Pick<ToolDescription, "definition" | "tags"> & Partial<Pick<OutlinedAction, "call">>,
): Tool {
  const tool = new ToolWireConverter().convertToTool(one.definition);
  if (one.tags.length > 0) tool.meta = { ...tool.meta, [TAGS_META]: one.tags };
  if (one.call !== undefined) tool.meta = { ...tool.meta, [CALL_META]: one.call };
  return tool;
}
