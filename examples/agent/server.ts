/**
 * @fileoverview An agent with four tools, any model, and a page to talk to it: page and WebSocket on one port.
 * @module examples/agent/server
 */
import { AmigoServerBuilder, type ModelPort, type StartOptions } from "@tenon/agent";
import { createPage } from "./page.js";
import { calculate, countDown, createListNotes, createWriteNote, type Notes } from "./tools.js";

/** What `startAgent` needs. */
export interface AgentOptions {
  readonly model: ModelPort;
  /** Where conversations are kept. */
  readonly storagePath: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Takes lines for the operator. */
  readonly logger?: StartOptions["logger"];
}

/** The agent without its wire. */
export function createAgent({ model, storagePath }: Pick<AgentOptions, "model" | "storagePath">) {
  const notes: Notes = new Map();
  return new AmigoServerBuilder()
    .storagePath(storagePath)
    .model(model, { instructions: "You are a helpful agent with a notebook. You are brief and friendly." })
    .registerTool(createWriteNote(notes))
    .registerTool(createListNotes(notes))
    .registerTool(calculate)
    .registerTool(countDown)
    .build();
}

/** The agent and its page, on this machine only. */
export async function startAgent({ port, logger, ...options }: AgentOptions) {
  const server = createAgent(options);
  const address = await server.start({ port, http: createPage(), ...(logger && { logger }) });
  return { server, url: address.url.replace(/^ws/, "http"), close: () => server.stop() };
}
