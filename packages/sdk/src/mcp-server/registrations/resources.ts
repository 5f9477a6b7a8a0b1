/**
 * @fileoverview Registered resources and templates with the official SDK's interface, and drafts for the core.
 * @module sdk/mcp-server/registrations/resources
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
import { failRequest } from "../requests/errors.js";
import type {
  McpExtra,
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  ResourceMetadata,
} from "../requests/types.js";
import { toCompleter } from "./completable.js";
import { registrationOf, type RegistryHost } from "./registry.js";
import type { ResourceTemplateLike } from "./resource-template.js";

/** Facts of resources and templates. */
interface CommonFacts {
  readonly title?: string | undefined;
  readonly metadata: ResourceMetadata | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly enabled: boolean;
}

/** Resource definition and callback. */
export interface ResourceFacts extends CommonFacts {
  readonly name: string;
  readonly readCallback: ReadResourceCallback;
}

/** Resource template definition and callback. */
export interface TemplateFacts extends CommonFacts {
  readonly resourceTemplate: ResourceTemplateLike;
  readonly readCallback: ReadResourceTemplateCallback;
}

/** A registered resource. Every change notifies clients. */
export class RegisteredResource extends registrationOf<ResourceFacts, ResourceDraft>()(
  "name",
  "metadata",
  "readCallback",
) {
  /**
   * Updates the resource. A `null` URI removes it.
   *
   * @throws if the URI is already in use. The resource is then unchanged.
   */
  update(updates: {
    readonly name?: string;
    readonly title?: string;
    readonly uri?: string | null;
    readonly metadata?: ResourceMetadata;
    readonly callback?: ReadResourceCallback;
    readonly enabled?: boolean;
  }): void {
    const { uri, callback, ...rest } = updates;
    this.apply({ ...rest, readCallback: callback }, uri);
  }
}

/** A registered resource template. Every change notifies clients. */
export class RegisteredResourceTemplate extends registrationOf<TemplateFacts, TemplateDraft>()(
  "resourceTemplate",
  "metadata",
  "readCallback",
) {
  /**
   * Updates the template. A `null` name removes it.
   *
   * @throws if the name is already in use. The template is then unchanged.
   */
  update(updates: {
    readonly name?: string | null;
    readonly title?: string;
    readonly template?: ResourceTemplateLike;
    readonly metadata?: ResourceMetadata;
    readonly callback?: ReadResourceTemplateCallback;
    readonly enabled?: boolean;
  }): void {
    const { name, template, callback, ...rest } = updates;
    this.apply({ ...rest, resourceTemplate: template, readCallback: callback }, name);
  }
}

/** Host of a resource's registry, and a check for names that are already in use. */
interface ResourceOwner {
  readonly host: RegistryHost;
  /** Returns true if a resource with a different URI already uses the name. */
  readonly isTaken: (name: string) => boolean;
}

/** Creates a resource draft for the core. */
export function draftResource(
  uri: string,
  facts: ResourceFacts,
  { host, isTaken }: ResourceOwner,
): ResourceDraft {
  const { metadata, title, scopes, readCallback } = facts;
  assertScopes(`Resource "${facts.name}"`, scopes);
  // Clients identify a resource by its URI, so two resources may share a name. The core requires unique names.
  let name = facts.name;
  for (let count = 2; isTaken(name); count++) name = `${facts.name} (${count})`;
  return {
    name,
    uri,
    compile(settings) {
      const entry = createResourceEntry(settings, {
        definition: { uri, name: facts.name, ...metadata, ...withoutUndefined({ title }) },
        scopes,
        handler: (at, call) => read(call, host, (extra) => readCallback(new URL(at), extra)),
      });
      return { ...entry, name };
    },
  };
}

/** Creates a resource template draft for the core. */
export function draftTemplate(name: string, facts: TemplateFacts, host: RegistryHost): TemplateDraft {
  const { resourceTemplate, metadata, title, scopes, readCallback } = facts;
  const { uriTemplate } = resourceTemplate;
  const draft = draftResourceTemplate(name, {
    ...metadata,
    ...withoutUndefined({ title, scopes }),
    uriTemplate: String(uriTemplate),
    complete: completersOf(resourceTemplate),
    handler: (variables, call, at) =>
      read(call, host, (extra) => readCallback(new URL(at), variables, extra)),
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

/** Runs a callback that reads a resource. */
async function read(
  call: Call,
  { hosted, dialect }: RegistryHost,
  callback: (extra: McpExtra) => unknown,
): Promise<ReadResult> {
  const scope = hosted.requestScopes.enter(call);
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
