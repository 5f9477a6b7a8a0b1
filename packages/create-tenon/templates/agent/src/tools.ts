import { defineTool } from "@tenon/agent";
import { McpError } from "tenon";
import { z } from "zod";

/** Notes by title. They are kept in memory. */
export type Notes = Map<string, string>;

const MAX_NOTES = 1000;

/** Creates a tool that only reads. The model can call it at any time. */
export function createListNotes(notes: Notes) {
  return defineTool({
    name: "list_notes",
    description: "Lists all notes",
    whenToUse: "When the user asks about notes",
    params: z.object({}),
    useExamples: ["<list_notes></list_notes>"],
    annotations: { readOnlyHint: true },
    invoke: async () => ({
      message: notes.size === 1 ? "1 note" : `${notes.size} notes`,
      toolResult: Object.fromEntries(notes),
    }),
  });
}

/** Creates a tool that changes something. Each call waits until a user approves it. */
export function createSaveNote(notes: Notes) {
  return defineTool({
    name: "save_note",
    description: "Saves a note, or replaces the note with the same title",
    whenToUse: "When the user wants to remember something",
    params: z.object({
      title: z.string().min(1).max(100).describe("Title of a few words"),
      text: z.string().max(1000).describe("Text of the note"),
    }),
    useExamples: ["<save_note><title>Milk</title><text>Buy two bottles.</text></save_note>"],
    approval: "ask",
    async invoke({ params: { title, text } }) {
      if (notes.size >= MAX_NOTES && !notes.has(title))
        // The model reads the message of an McpError. Other errors are reported without details.
        throw new McpError("INVALID_INPUT", `There are too many notes (limit: ${MAX_NOTES}).`);
      notes.set(title, text);
      return { message: `Saved "${title}"`, toolResult: { title } };
    },
  });
}
