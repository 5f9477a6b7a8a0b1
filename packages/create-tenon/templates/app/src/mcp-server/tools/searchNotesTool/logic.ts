/**
 * @fileoverview Schemas, types, and business logic for the `search_notes` tool.
 * @module src/mcp-server/tools/searchNotesTool/logic
 * @see {@link src/mcp-server/tools/searchNotesTool/registration.ts} for the handler.
 */
import { z } from "zod";
import { notesProvider } from "../../../services/notes/notesProvider.js";
import { logger, type RequestContext } from "../../../utils/index.js";

/** Input schema. The model reads the descriptions to decide how to call the tool. */
export const SearchNotesToolInputSchema = z.object({
  query: z
    .string()
    .max(200)
    .optional()
    .default("")
    .describe("Text to find in titles and texts. Case does not matter. Omit it to list all notes."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(50)
    .optional()
    .default(10)
    .describe("The maximum number of notes to return. Defaults to 10."),
});

/** Output schema. Clients use it to validate results. */
export const SearchNotesToolResponseSchema = z.object({
  notes: z
    .array(
      z.object({
        id: z.number().int().describe("The number that identifies the note."),
        title: z.string().describe("The note's heading."),
        text: z.string().describe("The note's text."),
        savedAt: z.string().describe("The time when the note was saved (ISO 8601, UTC)."),
      }),
    )
    .describe("The matching notes, newest first."),
  total: z.number().int().describe("The number of matching notes, including omitted ones."),
});

/** Validated tool input. */
export type SearchNotesToolInput = z.infer<typeof SearchNotesToolInputSchema>;

/** Structured tool result. */
export type SearchNotesToolResponse = z.infer<typeof SearchNotesToolResponseSchema>;

/**
 * Finds notes by their title and text.
 *
 * @param params - The validated input.
 * @param context - The request context, for logging.
 * @returns The matching notes, newest first, and their total number.
 * @throws {McpError} `DATABASE_ERROR` if the database fails.
 */
export async function searchNotesToolLogic(
  params: SearchNotesToolInput,
  context: RequestContext,
): Promise<SearchNotesToolResponse> {
  logger.debug("Searching notes.", { ...context, toolInput: params });
  const { notes, total } = await notesProvider.search(params, context);
  return { notes: [...notes], total };
}
