/**
 * @fileoverview Gives the hosted server access to the registries of a drop-in.
 * @module sdk/mcp-server/registrations/read-registries
 */
import type { PromptDraft, ResourceDraft, TemplateDraft, ToolDraft } from "tenon/host";
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
      return registries().templates.all.flatMap(({ facts: { enabled, resourceTemplate, metadata = {} } }) => {
        const list = resourceTemplate.listCallback;
        return enabled && list !== undefined ? [{ list, metadata }] : [];
      });
    },
    hasTool: (name: string) => registries().tools.get(name) !== undefined,
    hasPrompt: (name: string) => registries().prompts.get(name) !== undefined,
    hasResource: (uri: string) => registries().resources.get(uri) !== undefined,
  };
}
