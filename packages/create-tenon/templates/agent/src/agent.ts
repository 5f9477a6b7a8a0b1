import { AgentServerBuilder, type ModelPort } from "@tenon/agent";
import { createListNotes, createSaveNote, type Notes } from "./tools.js";

const instructions = "You are a friendly assistant with a notebook. Keep your answers short.";

export interface AgentOptions {
  readonly model: ModelPort;
  readonly notes: Notes;
  /** Folder where conversations are stored. */
  readonly storagePath: string;
}

/** Creates the agent without starting it, so that tests can use it too. */
export function createAgent({ model, notes, storagePath }: AgentOptions) {
  return new AgentServerBuilder()
    .storagePath(storagePath)
    .model(model, { instructions })
    .registerTool(createListNotes(notes))
    .registerTool(createSaveNote(notes))
    .build();
}
