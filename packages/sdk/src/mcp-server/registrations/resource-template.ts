/**
 * @fileoverview A resource template: its URI pattern, and callbacks that list resources and complete variables.
 * @module sdk/mcp-server/registrations/resource-template
 */
import { compileUriTemplate } from "@tenon/internal/uri-template";
import type {
  CompleteResourceTemplateCallback,
  ListResourcesCallback,
  Variables,
} from "../requests/types.js";

/** A pattern of URIs. */
export interface UriPattern {
  readonly variableNames: readonly string[];
  /** Returns the variables of a URI without decoding them, or null if it does not match. */
  match(uri: string): Variables | null;
  toString(): string;
}

/** A resource template of this package or of the official SDK. */
export interface ResourceTemplateLike {
  readonly uriTemplate: UriPattern;
  readonly listCallback: ListResourcesCallback | undefined;
  completeCallback(variable: string): CompleteResourceTemplateCallback | undefined;
}

/** A resource template. */
export class ResourceTemplate implements ResourceTemplateLike {
  readonly uriTemplate: UriPattern;
  readonly #callbacks: ResourceTemplateCallbacks;

  /** @throws if the template is malformed */
  constructor(uriTemplate: string | UriPattern, callbacks: ResourceTemplateCallbacks) {
    this.uriTemplate = typeof uriTemplate === "string" ? toPattern(uriTemplate) : uriTemplate;
    this.#callbacks = callbacks;
  }

  /** Callback that lists the resources, if there is one. */
  get listCallback(): ListResourcesCallback | undefined {
    return this.#callbacks.list;
  }

  /** Returns the callback that suggests values for a variable, if there is one. */
  completeCallback(variable: string): CompleteResourceTemplateCallback | undefined {
    const { complete = {} } = this.#callbacks;
    return Object.hasOwn(complete, variable) ? complete[variable] : undefined;
  }
}

/** Callbacks of a resource template, except the one that reads. */
export interface ResourceTemplateCallbacks {
  /** Required even if it is `undefined`, so that it is not forgotten. */
  readonly list: ListResourcesCallback | undefined;
  readonly complete?: Readonly<Record<string, CompleteResourceTemplateCallback>>;
}

function toPattern(source: string): UriPattern {
  const template = compileUriTemplate(source);
  return {
    variableNames: template.variables,
    // Escape the percent signs, so that values are returned as written in the URI.
    match: (uri) => template.match(uri.replaceAll("%", "%25")) ?? null,
    toString: () => source,
  };
}
