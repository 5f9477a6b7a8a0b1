/**
 * @fileoverview Resources and families of them as the official SDK registers them, and the drafts they become.
 * @module app/mcp-server/resources
 */
import {
  createResourceEntry,
  draftResourceTemplate,
  type ResourceDraft,
  type TemplateDraft,
} from "tenon/host";
import type { Completer } from "tenon";
import type { ReadResult } from "tenon/protocol";
import { noSuggestions, toCompleter } from "./completable.js";
import { failVisit } from "../requests/errors.js";
import type { ResourceTemplateLike } from "./resource-template.js";
import { Registration, said, type RegistryHost } from "./registry.js";
import type {
  ReadResourceCallback,
  ReadResourceTemplateCallback,
  ResourceMetadata,
} from "../requests/types.js";

/** What a resource says of itself, and its callback. */
export interface ResourceFacts {
  readonly name: string;
  readonly title: string | undefined;
  readonly metadata: ResourceMetadata | undefined;
  readonly readCallback: ReadResourceCallback;
  readonly enabled: boolean;
}

/** What a family says of itself, and its callbacks. */
export interface TemplateFacts {
  readonly resourceTemplate: ResourceTemplateLike;
  readonly title: string | undefined;
  readonly metadata: ResourceMetadata | undefined;
  readonly readCallback: ReadResourceTemplateCallback;
  readonly enabled: boolean;
}

/** A resource on a server. Every change reaches its clients. */
export class RegisteredResource extends Registration<ResourceFacts, ResourceDraft> {
  get name(): string {
    return this.slot.facts.name;
  }

  get metadata(): ResourceMetadata | undefined {
    return this.slot.facts.metadata;
  }

  get readCallback(): ReadResourceCallback {
    return this.slot.facts.readCallback;
  }

  /** Changes it; a URI of null takes it off. @throws and changes nothing, where the new URI is taken */
  update(updates: {
    readonly name?: string;
    readonly title?: string;
    readonly uri?: string | null;
    readonly metadata?: ResourceMetadata;
    readonly callback?: ReadResourceCallback;
    readonly enabled?: boolean;
  }): void {
    const { uri, callback, ...rest } = updates;
    this.slot.change(said({ ...rest, readCallback: callback }), uri);
  }
}

/** A family of resources on a server. Every change reaches its clients. */
export class RegisteredResourceTemplate extends Registration<TemplateFacts, TemplateDraft> {
  get resourceTemplate(): ResourceTemplateLike {
    return this.slot.facts.resourceTemplate;
  }

  get metadata(): ResourceMetadata | undefined {
    return this.slot.facts.metadata;
  }

  get readCallback(): ReadResourceTemplateCallback {
    return this.slot.facts.readCallback;
  }

  /** Changes it; a name of null takes it off. @throws and changes nothing, where the new name is taken */
  update(updates: {
    readonly name?: string | null;
    readonly title?: string;
    readonly template?: ResourceTemplateLike;
    readonly metadata?: ResourceMetadata;
    readonly callback?: ReadResourceTemplateCallback;
    readonly enabled?: boolean;
  }): void {
    const { name, template, callback, ...rest } = updates;
    this.slot.change(said({ ...rest, resourceTemplate: template, readCallback: callback }), name);
  }
}

/** The draft of a resource. @param isTaken whether the core knows another one under that name already */
export function draftResource(
  uri: string,
  facts: ResourceFacts,
  host: RegistryHost,
  isTaken: (name: string) => boolean,
): ResourceDraft {
  const { metadata, title, readCallback } = facts;
  // Clients know it by its URI, and two may have one name; the core keeps them apart.
  let name = facts.name;
  for (let count = 2; isTaken(name); count++) name = `${facts.name} (${count})`;
  return {
    name,
    uri,
    compile(settings) {
      if (!URL.canParse(uri)) throw new Error(`Resource ${facts.name} needs an absolute URI, not "${uri}"`);
      const entry = createResourceEntry(settings, {
        definition: { uri, name: facts.name, ...metadata, ...said({ title }) },
        handler: async (at, call): Promise<ReadResult> => {
          const visit = host.visits.enter(call);
          try {
            return await readCallback(new URL(at), host.extraOf(visit));
          } catch (error) {
            return failVisit(visit, error, host.exposes);
          }
        },
      });
      return { ...entry, name };
    },
  };
}

/** The draft of a family. */
export function draftFamily(name: string, facts: TemplateFacts, host: RegistryHost): TemplateDraft {
  const { resourceTemplate, metadata, title, readCallback } = facts;
  const { uriTemplate } = resourceTemplate;
  return draftResourceTemplate(name, {
    ...metadata,
    ...said({ title }),
    uriTemplate: String(uriTemplate),
    complete: completersOf(resourceTemplate),
    handler: async (variables, call, at): Promise<ReadResult> => {
      const visit = host.visits.enter(call);
      try {
        const uri = new URL(at);
        return await readCallback(uri, uriTemplate.match(at) ?? variables, host.extraOf(visit));
      } catch (error) {
        return failVisit(visit, error, host.exposes);
      }
    },
  });
}

/** Where one variable has suggestions, the others have none to give. */
function completersOf(template: ResourceTemplateLike): Readonly<Record<string, Completer>> {
  const names = template.uriTemplate.variableNames;
  const found = names.map((name) => [name, template.completeCallback(name)] as const);
  return found.some(([, callback]) => callback !== undefined)
    ? Object.fromEntries(
        found.map(([name, callback]) => [
          name,
          callback === undefined ? noSuggestions : toCompleter(callback),
        ]),
      )
    : {};
}
