/**
 * @fileoverview The tree of what a server serves, for command lines, pages and documentation.
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

/** Where in a tool's `meta` its tags stand. */
export const TAGS_META = "tenon/tags";

/** Where in a tool's `meta` it stands how it is called, for an action of a grouped tool. */
export const CALL_META = "tenon/call";

/** Marks in a resource's `meta` that its `uri` is the template of a family. */
export const TEMPLATE_META = "tenon/template";

/** A server, or the builder of one. */
export type Catalogued =
  | { readonly describe: () => ServerDescription }
  | { readonly build: () => { readonly describe: () => ServerDescription } };

/**
 * The tree of a server: its plain tools, prompts and resources under a root of its name, and below that a group for each
 * grouped tool, with groups of its own and a tool for each action, however it is exposed. It is a picture of the server
 * as it is now, not a view on it.
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

/** Groups by name below their parents, made on first use. */
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

/** A family of resources has a template where a resource has its URI. */
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
