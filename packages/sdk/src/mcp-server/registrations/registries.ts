/**
 * @fileoverview The registries of a drop-in, and the hosted server's access to them.
 * @module sdk/mcp-server/registrations/registries
 */
import type { Auth } from "tenon";
import {
  isAllowed,
  type PromptDraft,
  type ResourceDraft,
  type TemplateDraft,
  type ToolDraft,
} from "tenon/host";
import { toLimit } from "../options.js";
import { draftPrompt, type PromptFacts } from "./prompts.js";
import { Registry, type RegistryHost } from "./registry.js";
import { draftResource, draftTemplate, type ResourceFacts, type TemplateFacts } from "./resources.js";
import { draftTool, type ToolFacts } from "./tools.js";

/**
 * The registries of a drop-in.
 *
 * @typeParam More facts that the version of the SDK adds to all registrations
 * @typeParam Cached facts that the version of the SDK adds to resources and templates
 */
export interface Registries<More = object, Cached = More> {
  readonly tools: Registry<ToolFacts & More, ToolDraft>;
  readonly resources: Registry<ResourceFacts & Cached, ResourceDraft>;
  readonly templates: Registry<TemplateFacts & Cached, TemplateDraft>;
  readonly prompts: Registry<PromptFacts & More, PromptDraft>;
}

/** Options of registries. */
export interface RegistriesOptions<Cached> {
  readonly maxToolInputElements: number | undefined;
  /** Changes the facts of a resource or template before they are compiled. */
  readonly prepare?: <Facts extends Cached & (ResourceFacts | TemplateFacts)>(facts: Facts) => Facts;
}

/** Creates the registries of a server. */
export function createRegistries<More extends object, Cached extends object>(
  { hosted, dialect }: Pick<RegistryHost, "dialect" | "hosted">,
  { maxToolInputElements, prepare = (facts) => facts }: RegistriesOptions<Cached>,
): Registries<More, Cached> {
  const host: RegistryHost = { hosted, dialect, maxInputElements: toLimit(maxToolInputElements) };
  const resources: Registries<More, Cached>["resources"] = new Registry("resources", host, (uri, facts) =>
    draftResource(uri, prepare(facts), {
      host,
      isTaken: (name) => resources.all.some(({ draft }) => draft.name === name && draft.uri !== uri),
    }),
  );
  return {
    tools: new Registry("tools", host, (name, facts) => draftTool(name, facts, host)),
    resources,
    templates: new Registry("templates", host, (name, facts) => draftTemplate(name, prepare(facts), host)),
    prompts: new Registry("prompts", host, (name, facts) => draftPrompt(name, facts, host)),
  };
}

/** Creates a view of the registries. They are read on use, because they are created after the server. */
export function readRegistries<More extends object, Cached extends object>(
  registries: () => Registries<More, Cached>,
) {
  const isHidden = (uri: string, auth: Pick<Auth, "scopes"> | undefined) => {
    const { resources, templates } = registries();
    const facts = resources.get(uri)?.facts ?? findTemplate(templates, uri);
    return !isAllowed({ scopes: facts?.scopes ?? [] }, auth);
  };
  return {
    get drafts() {
      const { tools, resources, templates, prompts } = registries();
      return {
        tools: tools.drafts,
        resources: resources.drafts,
        templates: templates.drafts,
        prompts: prompts.drafts,
      };
    },
    get listers() {
      return registries().templates.all.flatMap(({ facts }) => {
        const { enabled, resourceTemplate, metadata = {}, scopes = [] } = facts;
        const list = resourceTemplate.listCallback;
        return enabled && list !== undefined ? [{ list, metadata, scopes }] : [];
      });
    },
    hasResource: (uri: string) => registries().resources.get(uri) !== undefined,
    isDisabled: (kind: "tools" | "resources" | "prompts", key: string, auth: Auth | undefined) => {
      const facts = registries()[kind].get(key)?.facts;
      return facts?.enabled === false && isAllowed({ scopes: facts.scopes ?? [] }, auth);
    },
    /** Returns the pattern of a disabled template that matches a URI. */
    disabledTemplate: (uri: string, auth: Auth | undefined) => {
      const found = findTemplate(registries().templates, uri);
      const isDisabled = found?.enabled === false && !isHidden(uri, auth);
      return isDisabled ? String(found.resourceTemplate.uriTemplate) : undefined;
    },
    /** Returns true if a resource requires scopes that the caller lacks. */
    isHidden,
  };
}

/** Returns the facts of the first template that matches a URI. */
export function findTemplate<Facts extends TemplateFacts>(
  templates: Registry<Facts, TemplateDraft>,
  uri: string,
): Facts | undefined {
  return templates.all.find(({ facts }) => facts.resourceTemplate.uriTemplate.match(uri) !== null)?.facts;
}
