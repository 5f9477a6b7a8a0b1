/**
 * @fileoverview Gives the hosted server access to the registries of a drop-in.
 * @module sdk/mcp-server/registrations/read-registries
 */
import type { Auth } from "tenon";
import {
  isAllowed,
  type PromptDraft,
  type ResourceDraft,
  type TemplateDraft,
  type ToolDraft,
} from "tenon/host";
import type { PromptFacts } from "./prompts.js";
import type { Registry } from "./registry.js";
import type { ResourceFacts, TemplateFacts } from "./resources.js";
import type { ToolFacts } from "./tools.js";

/** The registries of a drop-in. */
interface Registries {
  readonly tools: Pick<Registry<ToolFacts, ToolDraft>, "drafts" | "get">;
  readonly resources: Pick<Registry<ResourceFacts, ResourceDraft>, "drafts" | "get">;
  readonly templates: Pick<Registry<TemplateFacts, TemplateDraft>, "drafts" | "all">;
  readonly prompts: Pick<Registry<PromptFacts, PromptDraft>, "drafts" | "get">;
}

/** Creates a view of the registries. They are read on use, because they are created after the server. */
export function readRegistries(registries: () => Registries) {
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
  };
}
