/**
 * @fileoverview A family of resources: its addresses, and callbacks that list them and complete its variables.
 * @module app/mcp-server/resource-template
 */
import { compileUriTemplate } from "@tenon/internal/uri-template";
import type {
  CompleteResourceTemplateCallback,
  ListResourcesCallback,
  Variables,
} from "../requests/types.js";

/** A pattern of addresses. */
export interface UriPattern {
  readonly variableNames: readonly string[];
  /** The values that lead to `uri` as they stand in it, or nothing. */
  match(uri: string): Variables | null;
  toString(): string;
}

/** All that is asked of a template; that of the official SDK will do. */
export interface ResourceTemplateLike {
  readonly uriTemplate: UriPattern;
  readonly listCallback: ListResourcesCallback | undefined;
  completeCallback(variable: string): CompleteResourceTemplateCallback | undefined;
}

/** A family of resources. */
export class ResourceTemplate implements ResourceTemplateLike {
  readonly uriTemplate: UriPattern;
  readonly #callbacks: ResourceTemplateCallbacks;

  /** @throws for a template that is malformed */
  constructor(uriTemplate: string | UriPattern, callbacks: ResourceTemplateCallbacks) {
    this.uriTemplate = typeof uriTemplate === "string" ? toPattern(uriTemplate) : uriTemplate;
    this.#callbacks = callbacks;
  }

  /** Lists the family, where it can be listed. */
  get listCallback(): ListResourcesCallback | undefined {
    return this.#callbacks.list;
  }

  /** Suggests values of a variable, where it can. */
  completeCallback(variable: string): CompleteResourceTemplateCallback | undefined {
    const { complete = {} } = this.#callbacks;
    return Object.hasOwn(complete, variable) ? complete[variable] : undefined;
  }
}

/** What a family can do besides being read. */
export interface ResourceTemplateCallbacks {
  /** Must be said, even if it is `undefined`, so that it is not forgotten. */
  readonly list: ListResourcesCallback | undefined;
  readonly complete?: Readonly<Record<string, CompleteResourceTemplateCallback>>;
}

function toPattern(source: string): UriPattern {
  const template = compileUriTemplate(source);
  return {
    variableNames: template.variables,
    // An escaped escape comes back as it stood in the URI.
    match: (uri) => template.match(uri.replaceAll("%", "%25")) ?? null,
    toString: () => source,
  };
}
