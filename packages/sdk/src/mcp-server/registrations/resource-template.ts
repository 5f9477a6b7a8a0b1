/**
 * @fileoverview Resource templates: a URI pattern, and callbacks that list resources and complete variables.
 * @module sdk/mcp-server/registrations/resource-template
 */
import { compileUriTemplate } from "@tenon/internal/uri-template";
import type {
  CompleteResourceTemplateCallback,
  ListResourcesCallback,
  Variables,
} from "../requests/types.js";

/** URI pattern with named variables, such as `notes://{owner}/{id}`. */
export interface UriPattern {
  readonly variableNames: readonly string[];
  /** Returns a URI's variables, still percent-encoded, or `null` if the URI does not match. */
  match(uri: string): Variables | null;
  toString(): string;
}

/** A resource template from this package or from the official SDK. */
export interface ResourceTemplateLike {
  readonly uriTemplate: UriPattern;
  readonly listCallback: ListResourcesCallback | undefined;
  completeCallback(variable: string): CompleteResourceTemplateCallback | undefined;
}

/** Returns true if a template suggests values for at least one of its variables. */
export function hasCompleters(template: ResourceTemplateLike): boolean {
  return template.uriTemplate.variableNames.some((name) => template.completeCallback(name) !== undefined);
}

/** A resource template for `registerResource`. */
export class ResourceTemplate implements ResourceTemplateLike {
  readonly uriTemplate: UriPattern;
  readonly #callbacks: ResourceTemplateCallbacks;

  /** @throws if the template is malformed */
  constructor(uriTemplate: string | UriPattern, callbacks: ResourceTemplateCallbacks) {
    this.uriTemplate = typeof uriTemplate === "string" ? toPattern(uriTemplate) : uriTemplate;
    this.#callbacks = callbacks;
  }

  /** Lists the template's resources. `undefined` if they cannot be listed. */
  get listCallback(): ListResourcesCallback | undefined {
    return this.#callbacks.list;
  }

  /** Returns the callback that suggests values for a variable, or `undefined`. */
  completeCallback(variable: string): CompleteResourceTemplateCallback | undefined {
    const { complete = {} } = this.#callbacks;
    return Object.hasOwn(complete, variable) ? complete[variable] : undefined;
  }
}

/** Callbacks that list a template's resources and complete its variables. */
export interface ResourceTemplateCallbacks {
  /** Required, even if it is `undefined`, so that it is not forgotten. */
  readonly list: ListResourcesCallback | undefined;
  readonly complete?: Readonly<Record<string, CompleteResourceTemplateCallback>>;
}

function toPattern(source: string): UriPattern {
  const template = compileUriTemplate(source);
  return {
    variableNames: template.variables,
    match: (uri) => template.matchEncoded(uri) ?? null,
    toString: () => source,
  };
}
