/**
 * @fileoverview Base class for groups, tools, prompts, resources, and prompt arguments.
 * @module model/base-model
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Icon } from "../protocol/index.js";

/** Default separator between the parts of a fully qualified name. */
export const DEFAULT_SEPARATOR = ".";

/** Options that all models accept. */
export interface ModelOptions {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly meta?: JsonObject | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

/** Base class with the members that all models share. */
export abstract class BaseModel {
  readonly name: string;
  title: string | undefined;
  description: string | undefined;
  meta: JsonObject | undefined;
  icons: readonly Icon[] | undefined;

  constructor(name: string, options: ModelOptions = {}) {
    this.name = name;
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
