/**
 * @fileoverview Schemas, types, and business logic for the `save_note` tool. Shows how untrusted text
 * is sanitized before it is stored.
 * @module src/mcp-server/tools/saveNoteTool/logic
 * @see {@link src/mcp-server/tools/saveNoteTool/registration.ts} for the handler.
 */
import { z } from "zod";
import { notesProvider } from "../../../services/notes/notesProvider.js";
import { BaseErrorCode, McpError } from "../../../types-global/errors.js";
import { logger, type RequestContext, sanitization } from "../../../utils/index.js";

/** Input schema. The model reads the descriptions to decide how to call the tool. */
export const SaveNoteToolInputSchema = z.object({
  title: z.string().min(1).max(200).describe("A short heading for the note, in plain text."),
  text: z
    .string()
    .min(1)
    .max(10_000)
    .describe("The note's text. Plain text or Markdown, at most 10,000 characters."),
});

/** Output schema. Clients use it to validate results. */
export const SaveNoteToolResponseSchema = z.object({
  id: z.number().int().describe("The number that identifies the saved note."),
  title: z.string().describe("The heading as it was saved."),
  savedAt: z.string().describe("The time when the note was saved (ISO 8601, UTC)."),
});

/** Validated tool input. */
export type SaveNoteToolInput = z.infer<typeof SaveNoteToolInputSchema>;

/** Structured tool result. */
export type SaveNoteToolResponse = z.infer<typeof SaveNoteToolResponseSchema>;

/**
 * Sanitizes and saves a note.
 *
 * @param params - The validated input.
 * @param context - The request context, for logging.
 * @returns The saved note's ID, title, and time.
 * @throws {McpError} `VALIDATION_ERROR` if the title or the text is empty after sanitization,
 * `CONFLICT` if the notebook is full, or `DATABASE_ERROR` if the database fails.
 */
export async function saveNoteToolLogic(
  params: SaveNoteToolInput,
  context: RequestContext,
): Promise<SaveNoteToolResponse> {
  // Zod checks types and lengths. Sanitization removes control and invisible characters, which could
  // hide instructions from a reader of the note.
  const title = sanitization.sanitizeString(params.title, { context: "plain" }).trim();
  const text = sanitization.sanitizeString(params.text, { context: "plain" }).trim();
  logger.debug("Saving a note.", {
    ...context,
    titleLength: title.length,
    textLength: text.length,
  });

  if (title === "" || text === "") {
    throw new McpError(
      BaseErrorCode.VALIDATION_ERROR,
      "The title and the text must contain visible characters.",
      { toolName: "save_note" },
    );
  }
  const note = await notesProvider.save({ title, text }, context);
  return { id: note.id, title: note.title, savedAt: note.savedAt };
}
