/**
 * @fileoverview Tools, prompts, and resources, and the groups that contain them. Only groups change the links between a
 * group and its items, so all classes share this file.
 * @module tenon/model/models
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Annotations, Icon } from "../protocol/index.js";

/** Default separator between the parts of a fully qualified name. */
const DEFAULT_SEPARATOR = ".";

/** Options that all models accept. */
export type ModelOptions = Readonly<Partial<Pick<BaseModel, "title" | "description" | "meta" | "icons">>>;

/** Base class with the members that all models share. */
export abstract class BaseModel {
  title: string | undefined;
  description: string | undefined;
  meta: JsonObject | undefined;
  icons: readonly Icon[] | undefined;

  constructor(
    readonly name: string,
    options: ModelOptions = {},
  ) {
    this.title = options.title;
    this.description = options.description;
    this.meta = options.meta;
    this.icons = options.icons;
  }

  /**
   * Returns the fully qualified name. This is the model's own name, except for groups, which prepend the names of their
   * ancestors.
   */
  getFullyQualifiedName(_separator: string = DEFAULT_SEPARATOR): string {
    return this.name;
  }
}

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

/** Hints as plain data. The strategy `annotations` of a grouped tool returns this form. */
export type ToolAnnotationValues = Readonly<Partial<ToolAnnotations>>;

/** Hints about a tool's behavior. Hints are not guarantees, and a missing hint does not mean `false`. */
export class ToolAnnotations {
  title: string | undefined;
  /** The tool does not change anything. */
  readOnlyHint: boolean | undefined;
  /** The tool may delete or overwrite data. */
  destructiveHint: boolean | undefined;
  /** Repeating a call has no further effect. */
  idempotentHint: boolean | undefined;
  /** The tool accesses systems outside the server. */
  openWorldHint: boolean | undefined;
  /** The result is shown to the user without passing through the model. MCP does not define this hint. */
  returnDirect: boolean | undefined;

  constructor(values: ToolAnnotationValues = {}) {
    this.title = values.title;
    this.readOnlyHint = values.readOnlyHint;
    this.destructiveHint = values.destructiveHint;
    this.idempotentHint = values.idempotentHint;
    this.openWorldHint = values.openWorldHint;
    this.returnDirect = values.returnDirect;
  }
}

/** Options for `Tool`. */
export type ToolOptions = ModelOptions &
  Readonly<Partial<Pick<Tool, "inputSchema" | "outputSchema" | "annotations">>>;

/** Tool with input and output schemas and annotations. It can belong to more than one group. */
export class Tool extends GroupItem {
  /** JSON Schema for the arguments. @default any object */
  inputSchema: JsonObject;
  /** JSON Schema for the structured result. */
  outputSchema: JsonObject | undefined;
  annotations: ToolAnnotations | undefined;

  constructor(name: string, options: ToolOptions = {}) {
    super(name, options);
    this.inputSchema = options.inputSchema ?? { type: "object" };
    this.outputSchema = options.outputSchema;
    this.annotations = options.annotations;
  }
}

/** Options for `PromptArgument`. */
export type PromptArgumentOptions = ModelOptions & Readonly<Partial<Pick<PromptArgument, "required">>>;

/** Argument that a prompt accepts. */
export class PromptArgument extends BaseModel {
  /** True if callers must provide the argument. `undefined` means optional. */
  required: boolean | undefined;

  constructor(name: string, options: PromptArgumentOptions = {}) {
    super(name, options);
    this.required = options.required;
  }
}

/** Options for `Prompt`. */
export type PromptOptions = ModelOptions & Readonly<Partial<Pick<Prompt, "arguments">>>;

/** Prompt with an ordered list of arguments. It can belong to more than one group. */
export class Prompt extends GroupItem {
  arguments: readonly PromptArgument[];

  constructor(name: string, options: PromptOptions = {}) {
    super(name, options);
    this.arguments = options.arguments ?? [];
  }
}

/** Options for `Resource`. Only `uri` is required. */
export type ResourceOptions = ModelOptions &
  Readonly<Pick<Resource, "uri"> & Partial<Pick<Resource, "size" | "mimeType" | "annotations">>>;

/** Resource with a URI, a MIME type, a size, and annotations. It can belong to more than one group. */
export class Resource extends GroupItem {
  uri: string;
  /** Size in bytes, before any encoding. */
  size: number | undefined;
  mimeType: string | undefined;
  annotations: Annotations | undefined;

  constructor(name: string, options: ResourceOptions) {
    super(name, options);
    this.uri = options.uri;
    this.size = options.size;
    this.mimeType = options.mimeType;
    this.annotations = options.annotations;
  }
}

/**
 * Tree node with at most one parent. Its children are groups, tools, prompts, and resources. The child lists are
 * snapshots in insertion order. An `add…` method returns `false` if the child is already present, and a `remove…`
 * method returns `false` if it is not.
 */
export class Group extends BaseModel {
  #parent: Group | undefined;
  readonly #groups = new Set<Group>();
  readonly #tools = new Set<Tool>();
  readonly #prompts = new Set<Prompt>();
  readonly #resources = new Set<Resource>();

  get parent(): Group | undefined {
    return this.#parent;
  }

  get childGroups(): readonly Group[] {
    return [...this.#groups];
  }

  get childTools(): readonly Tool[] {
    return [...this.#tools];
  }

  get childPrompts(): readonly Prompt[] {
    return [...this.#prompts];
  }

  get childResources(): readonly Resource[] {
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

  addChildTool(tool: Tool): boolean {
    return this.#add(this.#tools, tool);
  }

  removeChildTool(tool: Tool): boolean {
    return this.#remove(this.#tools, tool);
  }

  addChildPrompt(prompt: Prompt): boolean {
    return this.#add(this.#prompts, prompt);
  }

  removeChildPrompt(prompt: Prompt): boolean {
    return this.#remove(this.#prompts, prompt);
  }

  addChildResource(resource: Resource): boolean {
    return this.#add(this.#resources, resource);
  }

  removeChildResource(resource: Resource): boolean {
    return this.#remove(this.#resources, resource);
  }

  #add<T extends GroupItem>(items: Set<T>, item: T): boolean {
    if (items.has(item)) return false;
    items.add(item);
    parentsOf(item).add(this);
    return true;
  }

  #remove<T extends GroupItem>(items: Set<T>, item: T): boolean {
    return items.delete(item) && parentsOf(item).delete(this);
  }

  /** Returns the groups from the root down to this one. Iterative, so that deep trees don't exhaust the stack. */
  #lineage(): readonly Group[] {
    const upwards: Group[] = [this];
    for (let group = this.#parent; group !== undefined; group = group.#parent) upwards.push(group);
    return upwards.toReversed();
  }
}
