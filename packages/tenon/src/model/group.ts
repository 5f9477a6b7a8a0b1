/**
 * @fileoverview Groups and the items in them. Only groups change the links in either direction, so the two classes
 * share this file.
 * @module model/group
 */
import { BaseModel, DEFAULT_SEPARATOR } from "./base-model.js";
import type { PromptFields, ResourceFields, ToolFields } from "./fields.js";

/** Returns an item's parent groups. Only `Group` may change the set. */
let parentsOf: (item: GroupItem) => Set<Group>;

/** Item that can belong to any number of groups. */
export abstract class GroupItem extends BaseModel {
  readonly #parents = new Set<Group>();

  static {
    parentsOf = (item) => item.#parents;
  }

  /** Groups that contain the item, in the order it was added to them. The list is a snapshot. */
  get parentGroups(): readonly Group[] {
    return [...this.#parents];
  }

  /** Returns the roots of the trees that contain the item, without duplicates. */
  getRoots(): readonly Group[] {
    return [...new Set(this.parentGroups.map((group) => group.getRoot()))];
  }
}

/** Tool in a group. Structurally equivalent to `Tool`. */
export type ToolItem = GroupItem & ToolFields;

/** Prompt in a group. Structurally equivalent to `Prompt`. */
export type PromptItem = GroupItem & PromptFields;

/** Resource in a group. Structurally equivalent to `Resource`. */
export type ResourceItem = GroupItem & ResourceFields;

/**
 * Tree node with at most one parent. Its children are groups, tools, prompts, and resources. The child lists are
 * snapshots in insertion order. An `add…` method returns `false` if the child is already present, and a `remove…`
 * method returns `false` if it is not.
 */
export class Group extends BaseModel {
  #parent: Group | undefined;
  readonly #groups = new Set<Group>();
  readonly #tools = new Set<ToolItem>();
  readonly #prompts = new Set<PromptItem>();
  readonly #resources = new Set<ResourceItem>();

  get parent(): Group | undefined {
    return this.#parent;
  }

  get childGroups(): readonly Group[] {
    return [...this.#groups];
  }

  get childTools(): readonly ToolItem[] {
    return [...this.#tools];
  }

  get childPrompts(): readonly PromptItem[] {
    return [...this.#prompts];
  }

  get childResources(): readonly ResourceItem[] {
    return [...this.#resources];
  }

  /** Returns the group at the top of the tree, which may be this group. */
  getRoot(): Group {
    return this.#lineage()[0] ?? this;
  }

  /** Joins the names from the root down to this group. */
  override getFullyQualifiedName(separator: string = DEFAULT_SEPARATOR): string {
    return this.#lineage()
      .map(({ name }) => name)
      .join(separator);
  }

  /**
   * Adds a child group and removes it from its previous parent.
   *
   * @throws if `group` is this group or one of its ancestors, which would create a cycle
   */
  addChildGroup(group: Group): boolean {
    if (this.#lineage().includes(group)) {
      throw new Error(
        `Group "${group.name}" cannot be added to "${this.getFullyQualifiedName()}": it would become its own ancestor.`,
      );
    }
    if (this.#groups.has(group)) return false;
    group.#parent?.removeChildGroup(group);
    this.#groups.add(group);
    group.#parent = this;
    return true;
  }

  removeChildGroup(group: Group): boolean {
    if (!this.#groups.delete(group)) return false;
    group.#parent = undefined;
    return true;
  }

  addChildTool(tool: ToolItem): boolean {
    return this.#add(this.#tools, tool);
  }

  removeChildTool(tool: ToolItem): boolean {
    return this.#remove(this.#tools, tool);
  }

  addChildPrompt(prompt: PromptItem): boolean {
    return this.#add(this.#prompts, prompt);
  }

  removeChildPrompt(prompt: PromptItem): boolean {
    return this.#remove(this.#prompts, prompt);
  }

  addChildResource(resource: ResourceItem): boolean {
    return this.#add(this.#resources, resource);
  }

  removeChildResource(resource: ResourceItem): boolean {
    return this.#remove(this.#resources, resource);
  }

  #add<T extends GroupItem>(items: Set<T>, item: T): boolean {
    if (items.has(item)) return false;
    items.add(item);
    parentsOf(item).add(this);
    return true;
  }

  #remove<T extends GroupItem>(items: Set<T>, item: T): boolean {
    if (!items.delete(item)) return false;
    parentsOf(item).delete(this);
    return true;
  }

  /** Returns the groups from the root down to this one. Iterative, so that deep trees don't exhaust the stack. */
  #lineage(): readonly Group[] {
    const upwards: Group[] = [this];
    for (let group = this.#parent; group !== undefined; group = group.#parent) upwards.push(group);
    return upwards.toReversed();
  }
}
