/**
 * @fileoverview Tests the `save_note` logic: sanitization, results, and errors.
 * @module tests/mcp-server/tools/saveNoteTool/logic.test
 */
import { requestContextService } from "@tenon/app";
import { afterEach, describe, expect, it } from "vitest";
import { zocker } from "zocker";
import {
  SaveNoteToolInputSchema,
  saveNoteToolLogic,
  SaveNoteToolResponseSchema,
} from "../../../../src/mcp-server/tools/saveNoteTool/logic.js";
import { notesProvider } from "../../../../src/services/notes/notesProvider.js";

const context = requestContextService.createRequestContext({ operation: "test" });

describe("the save_note logic", () => {
  afterEach(() => notesProvider.close());

  it("saves the note and returns its ID, title, and time", async () => {
    const response = await saveNoteToolLogic({ title: "Groceries", text: "milk" }, context);
    expect(SaveNoteToolResponseSchema.parse(response)).toMatchObject({ id: 1, title: "Groceries" });
    const { notes } = await notesProvider.search({ query: "milk", limit: 1 }, context);
    expect(notes).toMatchObject([{ id: 1, title: "Groceries", text: "milk" }]);
  });

  it("removes control and invisible characters", async () => {
    const title = "Gro\u0007ce\u200Bries";
    const text = "milk\u001B[2J\u202E and bread";
    await saveNoteToolLogic({ title, text }, context);
    const { notes } = await notesProvider.search({ query: "", limit: 1 }, context);
    expect(notes).toMatchObject([{ title: "Groceries", text: "milk[2J and bread" }]);
  });

  it("rejects text that is empty after sanitization", async () => {
    await expect(
      saveNoteToolLogic({ title: "\u200B", text: "visible" }, context),
    ).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: "The title and the text must contain visible characters.",
    });
  });

  it("returns valid output for any valid input", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const input = SaveNoteToolInputSchema.parse(
        zocker(SaveNoteToolInputSchema).setSeed(seed).generate(),
      );
      const response = await saveNoteToolLogic({ ...input, title: `x${input.title}` }, context);
      expect(SaveNoteToolResponseSchema.parse(response).id).toBe(seed);
    }
  });
});
