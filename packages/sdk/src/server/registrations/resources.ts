/**
 * @fileoverview Registered resources and templates with the official SDK's interface, and drafts for the core.
 * @module sdk/server/registrations/resources
 */
import type { Completer } from "tenon";
import {
  assertScopes,
  type Call,
  createResourceEntry,
  draftResourceTemplate,
  type ResourceDraft,
  type TemplateDraft,
} from "tenon/host";
import type { ReadResult } from "tenon/protocol";
import { withoutUndefined } from "@tenon/internal/json";
import { compileUriTemplate } from "@tenon/internal/uri-template";
import type {
  CacheHint,
  CompleteResourceTemplateCallback,
  ListResourcesCallback,
  McpExtra,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  ResourceMetadata,
  Variables,
} from "../../types.js";
import { failRequest } from "../requests/errors.js";
import type { RequestScope } from "../requests/request-scope.js";
import {
  type CommonFacts,
  type CommonUpdates,
  registrationOf,
  type RegistryHost,
  type Slot,
} from "./registry.js";
import { toCompleter } from "./schemas.js";

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

/** Facts of resources and templates. */
interface MetadataFacts extends CommonFacts {
  readonly metadata: ResourceMetadata | undefined;
  /** Cache hint for the content. Only version 2 has it. */
  readonly cacheHint?: CacheHint | undefined;
}

/** Resource definition and callback. */
export interface ResourceFacts extends MetadataFacts {
  readonly name: string;
  readonly readCallback: ReadResourceCallback;
}

/** Resource template definition and callback. */
export interface TemplateFacts extends MetadataFacts {
  readonly resourceTemplate: ResourceTemplateLike;
  readonly readCallback: ReadResourceTemplateCallback;
}

/** A registered resource. Every change notifies clients. */
export class RegisteredResource extends registrationOf<ResourceFacts, ResourceDraft>()(
  "name",
  "metadata",
  "cacheHint",
  "readCallback",
) {
  /** Updates the resource. A `null` URI removes it. @throws if the URI is already in use. It is then unchanged. */
  update(
    updates: CommonUpdates & {
      readonly name?: string;
      readonly uri?: string | null;
      readonly metadata?: ResourceMetadata;
      readonly callback?: ReadResourceCallback;
    },
  ): void {
    const { uri, callback, ...rest } = updates;
    this.apply({ ...rest, metadata: metadataOf(updates, this.slot), readCallback: callback }, uri);
  }
}

/** A registered resource template. Every change notifies clients. */
export class RegisteredResourceTemplate extends registrationOf<TemplateFacts, TemplateDraft>()(
  "resourceTemplate",
  "metadata",
  "cacheHint",
  "readCallback",
) {
  /** Updates the template. A `null` name removes it. @throws if the name is already in use. It is then unchanged. */
  update(
    updates: CommonUpdates & {
      readonly name?: string | null;
      readonly template?: ResourceTemplateLike;
      readonly metadata?: ResourceMetadata;
      readonly callback?: ReadResourceTemplateCallback;
    },
  ): void {
    const { name, template, callback, ...rest } = updates;
    const metadata = metadataOf(updates, this.slot);
    this.apply({ ...rest, metadata, resourceTemplate: template, readCallback: callback }, name);
  }
}

/** Returns the metadata after an update. In version 2, the listed title is part of it. */
function metadataOf(
  { title, metadata }: { readonly title?: string; readonly metadata?: ResourceMetadata },
  { facts, dialect }: Pick<Slot<MetadataFacts, ResourceDraft | TemplateDraft>, "dialect" | "facts">,
): ResourceMetadata | undefined {
  const isListed = title !== undefined && dialect.listsMetadataTitle;
  return isListed ? { ...(metadata ?? facts.metadata), title } : metadata;
}

/** Host of a resource's registry, and a check for names that are already in use. */
interface ResourceOwner extends RegistryHost {
  /** Returns true if a resource with a different URI already uses the name. */
  readonly isTaken: (name: string) => boolean;
}

/** Creates a resource draft for the core. */
export function draftResource(uri: string, facts: ResourceFacts, host: ResourceOwner): ResourceDraft {
  const { metadata, scopes, readCallback } = facts;
  assertScopes(`Resource "${facts.name}"`, scopes);
  // Clients identify a resource by its URI, so two resources may share a name. The core requires unique names.
  let name = facts.name;
  for (let count = 2; host.isTaken(name); count++) name = `${facts.name} (${count})`;
  return {
    name,
    uri,
    compile(settings) {
      const entry = createResourceEntry(settings, {
        definition: { uri, name: facts.name, ...metadata, ...titleOf(facts, host) },
        scopes,
        handler: (at, call) =>
          read(enter(call, facts, host), host, (extra) => readCallback(new URL(at), extra)),
      });
      return { ...entry, name };
    },
  };
}

/** Creates a resource template draft for the core. */
export function draftTemplate(name: string, facts: TemplateFacts, host: RegistryHost): TemplateDraft {
  const { resourceTemplate, metadata, scopes, readCallback } = facts;
  const { uriTemplate } = resourceTemplate;
  const draft = draftResourceTemplate(name, {
    ...metadata,
    ...titleOf(facts, host),
    ...withoutUndefined({ scopes }),
    uriTemplate: String(uriTemplate),
    complete: completersOf(resourceTemplate),
    handler: (variables, call, at) =>
      read(enter(call, facts, host), host, (extra) => readCallback(new URL(at), variables, extra)),
  });
  return {
    name,
    compile(settings) {
      const entry = draft.compile(settings);
      const { template } = entry;
      // As in the official SDK, the pattern itself decides, and its values are usually still encoded. It is asked only
      // about URIs that fit the template, because patterns may be slow to reject long URIs.
      const match = (uri: string) =>
        template.matchEncoded(uri) === undefined ? undefined : (uriTemplate.match(uri) ?? undefined);
      return { ...entry, template: { ...template, match } };
    },
  };
}

/** Returns the title of a definition. */
function titleOf({ title }: MetadataFacts, { dialect }: RegistryHost): { readonly title?: string } {
  return title === undefined || dialect.listsMetadataTitle ? {} : { title };
}

function enter(call: Call, { cacheHint }: MetadataFacts, { hosted }: RegistryHost): RequestScope {
  const scope = hosted.requestScopes.enter(call);
  scope.cacheHint = cacheHint;
  return scope;
}

/** Runs a callback that reads a resource. */
async function read(
  scope: RequestScope,
  { hosted, dialect }: RegistryHost,
  callback: (extra: McpExtra) => unknown,
): Promise<ReadResult> {
  try {
    // Safe: the dialect creates the argument that its callbacks declare, and validates results.
    return (await dialect.run(scope, (extra) => callback(extra as McpExtra))) as ReadResult;
  } catch (error) {
    return failRequest(scope, error, hosted.exposeErrors);
  }
}

/** Returns the completers of the variables that have suggestions. */
function completersOf(template: ResourceTemplateLike): Readonly<Record<string, Completer>> {
  const completers = template.uriTemplate.variableNames.flatMap((name) => {
    const callback = template.completeCallback(name);
    return callback === undefined ? [] : [[name, toCompleter(callback)] as const];
  });
  return Object.fromEntries(completers);
}
