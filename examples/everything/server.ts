/**
 * @fileoverview Server with every MCP feature, including those that the official conformance suite requires.
 * @module examples/everything/server
 */
import { defineServer } from "tenon";
import { loadJsonSchema } from "tenon/json-schema";
import { addAskingTools } from "./asking-tools.js";
import { addContentTools } from "./content-tools.js";
import { addLiveTools } from "./live-tools.js";
import { addPrompts } from "./prompts.js";
import { addResources, WATCHED } from "./resources.js";
import { addRoundTools } from "./round-tools.js";
import { addTasks } from "./tasks.js";

/** The everything server. */
export const server = defineServer({
  name: "everything",
  version: "1.0.0",
  title: "Everything",
  instructions: "A server for testing clients. Every tool, resource, and prompt shows one protocol feature.",
  jsonSchema: await loadJsonSchema(),
})
  .with(addPrompts)
  .with(addResources)
  .with(addContentTools)
  .with(addLiveTools)
  .with(addAskingTools)
  .with(addRoundTools)
  .with(addTasks)
  .tool("test_trigger_tool_change", {
    description: "Adds a tool to this server. The next call removes it.",
    handler: async () => {
      if (isNode) {
        await server.notifyListChanged("tools");
        return "The change was announced.";
      }
      hasExtraTool = !hasExtraTool;
      server.update((editor) =>
        hasExtraTool
          ? editor.tool(EXTRA, {
              description: "Added and removed at runtime.",
              handler: () => "Currently available.",
            })
          : editor.removeTool(EXTRA),
      );
      return hasExtraTool ? `${EXTRA} was added.` : `${EXTRA} was removed.`;
    },
  })
  .tool("test_trigger_prompt_change", {
    description: "Adds a prompt to this server. The next call removes it.",
    handler: async () => {
      if (isNode) {
        await server.notifyListChanged("prompts");
        return "The change was announced.";
      }
      hasExtraPrompt = !hasExtraPrompt;
      server.update((editor) =>
        hasExtraPrompt
          ? editor.prompt(EXTRA, {
              description: "Added and removed at runtime.",
              handler: () => "Currently available.",
            })
          : editor.removePrompt(EXTRA),
      );
      return hasExtraPrompt ? `${EXTRA} was added.` : `${EXTRA} was removed.`;
    },
  })
  .tool("test_trigger_resource_update", {
    description: `Notifies subscribers that ${WATCHED} has changed.`,
    handler: async () => {
      await server.resourceUpdated(WATCHED);
      return `${WATCHED} changed.`;
    },
  })
  .build();

const EXTRA = "test_comes_and_goes";
let hasExtraTool = false;
let hasExtraPrompt = false;
let isNode = false;

/**
 * Makes the server one of several nodes. All nodes must have the same definitions, so they announce changes without
 * making them.
 */
export function becomeNode(): void {
  isNode = true;
}
