/**
 * @fileoverview The tree of groups, and the items that hang in it. Both ends of a link change together, and only
 * through a group; that is why the two classes share a file.
 * @module model/group
 */
import { BaseModel, DEFAULT_SEPARATOR } from "./base-model.js";
import type { PromptFields, ResourceFields, ToolFields } from "./fields.js";

/** The parents of an item, to be changed by groups alone. */
let parentsOf: (item: GroupItem) => Set<Group>;

/** What hangs in groups: in none, in one, or in several at once. */
export abstract class GroupItem extends BaseModel {
  readonly #parents = new Set<Group>();

  static {
    parentsOf = (item) => item.#parents;
  }

  /** The groups that hold it, as of now, in the order in which they took it. */
  get parentGroups(): readonly Group[] {
    return [...this.#parents];
  }

  /** The roots of the trees that it hangs in, each once. */
  getRoots(): readonly Group[] {
    return [...new Set(this.parentGroups.map((group) => group.getRoot()))];
  }
}

/** An item that is a tool; every `Tool` is one, and the other way round. */
export type ToolItem = GroupItem & ToolFields;

/** An item that is a prompt; every `Prompt` is one, and the other way round. */
export type PromptItem = GroupItem & PromptFields;

/** An item that is a resource; every `Resource` is one, and the other way round. */
export type ResourceItem = GroupItem & ResourceFields;

/**
 * A node of a tree: under one parent or none, with groups, tools, prompts and resources below it. The lists are as of
 * now, in the order of adding; `add…` gives `false` for what is already there, `remove…` for what is not.
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

  /** The group at the top of its tree, which may be itself. */
  getRoot(): Group {
    return this.#lineage()[0] ?? this;
  }

  /** The names from the root down to this group, joined. */
  override getFullyQualifiedName(separator: string = DEFAULT_SEPARATOR): string {
    return this.#lineage()
      .map(({ name }) => name)
      .join(separator);
  }

  /**
   * Puts a group below this one, and takes it from where it was.
   *
   * @throws if this group is the other one or stands below it: a cycle has no root
   */
  addChildGroup(group: Group): boolean {
    if (this.#lineage().includes(group)) {
      throw new Error(
        `Group "${group.name}" cannot be put below "${this.getFullyQualifiedName()}": it would be its own ancestor.`,
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

  /** The groups from the root down to this one: a loop, so that no depth of tree exhausts the stack. */
  #lineage(): readonly Group[] {
    const upwards: Group[] = [this];
    for (let group = this.#parent; group !== undefined; group = group.#parent) upwards.push(group);
    return upwards.toReversed();
  }
}
