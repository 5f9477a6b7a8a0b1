/**
 * @fileoverview A server with all that MCP has to say, and what the official conformance suite asks of one.
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

const builder = defineServer({
  name: "everything",
  version: "1.0.0",
  title: "Everything",
  instructions:
    "A server for testing clients: every tool, resource and prompt shows one part of the protocol.",
  jsonSchema: await loadJsonSchema(),
});

/** The server. */
export const server = addRoundTools(
  addAskingTools(addLiveTools(addContentTools(addResources(addPrompts(builder))))),
)
  .tool("test_trigger_tool_change", {
    description: "Adds a tool to this server, or takes it away again.",
    handler: () => {
      hasExtraTool = !hasExtraTool;
      server.update((editor) =>
        hasExtraTool
          ? editor.tool(EXTRA, { description: "Comes and goes.", handler: () => "Here for now." })
          : editor.removeTool(EXTRA),
      );
      return hasExtraTool ? `${EXTRA} was added.` : `${EXTRA} was removed.`;
    },
  })
  .tool("test_trigger_prompt_change", {
    description: "Adds a prompt to this server, or takes it away again.",
    handler: () => {
      hasExtraPrompt = !hasExtraPrompt;
      server.update((editor) =>
        hasExtraPrompt
          ? editor.prompt(EXTRA, { description: "Comes and goes.", handler: () => "Here for now." })
          : editor.removePrompt(EXTRA),
      );
      return hasExtraPrompt ? `${EXTRA} was added.` : `${EXTRA} was removed.`;
    },
  })
  .tool("test_trigger_resource_update", {
    description: `Tells those who subscribed to ${WATCHED} that it changed.`,
    handler: () => {
      server.resourceUpdated(WATCHED);
      return `${WATCHED} changed.`;
    },
  })
  .build();

const EXTRA = "test_comes_and_goes";
let hasExtraTool = false;
let hasExtraPrompt = false;
