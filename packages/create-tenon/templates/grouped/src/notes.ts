import { createTool, error, success } from "tenon/grouped";
import { z } from "zod";

/** Context that every handler receives. */
export interface App {
  readonly notes: Map<string, string>;
}

const MAX_NOTES = 1000;
const id = z.string().max(100).describe("Note ID");

/** One tool with three actions. Each action has its own fields and its own handler. */
export const notes = createTool<App>("notes")
  .description("Save, list, and delete notes")
  .action({
    name: "list",
    description: "List all notes",
    readOnly: true,
    handler: (app) => success(Object.fromEntries(app.notes)),
  })
  .action({
    name: "save",
    description: "Save a note, or replace the note with the same ID",
    destructive: true,
    idempotent: true,
    schema: z.object({ id, text: z.string().max(1000).describe("Text of the note") }),
    handler: (app, { id, text }) => {
      if (app.notes.size >= MAX_NOTES && !app.notes.has(id)) return error("Delete a note first.");
      app.notes.set(id, text);
      return success(`Saved ${id}.`);
    },
  })
  .action({
    name: "delete",
    description: "Delete a note",
    destructive: true,
    schema: z.object({ id }),
    handler: (app, { id }) =>
      app.notes.delete(id) ? success(`Deleted ${id}.`) : error(`Note ${id} does not exist.`),
  });
