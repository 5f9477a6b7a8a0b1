/**
 * @fileoverview What groups, tools, prompts, resources and prompt arguments have in common.
 * @module model/base-model
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Icon } from "../protocol/index.js";

/** What stands between the names of a fully qualified name, unless the caller says otherwise. */
export const DEFAULT_SEPARATOR = ".";

/** What any model may be given beside its name. */
export interface ModelOptions {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly meta?: JsonObject | undefined;
  readonly icons?: readonly Icon[] | undefined;
}

/** A thing with a name, and with words and pictures for people. */
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

  /** The name that tells it from all others: its own, but for groups, which put their ancestors before it. */
  getFullyQualifiedName(_separator: string = DEFAULT_SEPARATOR): string {
    return this.name;
  }
}
