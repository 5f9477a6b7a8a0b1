/**
 * @fileoverview Agent with five tools and a chat page. The page and the WebSocket share one port.
 * @module examples/agent/server
 */
import { AgentServerBuilder, type ModelPort, type StartOptions } from "@tenon/agent";
import { serveAgentPage } from "@tenon/agent/page";
import {
  calculate,
  countDown,
  createDeleteNote,
  createListNotes,
  createWriteNote,
  type Notes,
} from "./tools.js";

/** Options for `startAgent`. */
export interface AgentOptions {
  readonly model: ModelPort;
  /** Folder where conversations are stored. */
  readonly storagePath: string;
  /** Port to listen on. 0 picks a free port. */
  readonly port: number;
  /** Receives warnings and errors. */
  readonly logger?: StartOptions["logger"];
}

/** Creates the agent without starting it. */
export function createAgent({ model, storagePath }: Pick<AgentOptions, "model" | "storagePath">) {
  const notes: Notes = new Map();
  return new AgentServerBuilder()
    .storagePath(storagePath)
    .model(model, { instructions: "You are a helpful agent with a notebook. You are brief and friendly." })
    .registerTool(createWriteNote(notes))
    .registerTool(createListNotes(notes))
    .registerTool(createDeleteNote(notes))
    .registerTool(calculate)
    .registerTool(countDown)
    .build();
}

/** Starts the agent and its page on the loopback interface. */
export async function startAgent({ port, logger, ...options }: AgentOptions) {
  const server = createAgent(options);
  const page = await serveAgentPage(server, {
    port,
    title: "Tenon agent",
    suggestions: SUGGESTIONS,
    ...(logger && { logger }),
  });
  return { server, ...page };
}

const SUGGESTIONS = [
  "Write a note about oak",
  "Count down from 5",
  "Ask me a question",
  "Do it in parts",
  "Delete the note about oak",
];
