/**
 * @fileoverview Tests the `search_notes` logic with a real database.
 * @module tests/mcp-server/tools/searchNotesTool/logic.test
 */
import { requestContextService } from "@tenon/app";
import { afterEach, describe, expect, it } from "vitest";
import {
  SearchNotesToolInputSchema,
  searchNotesToolLogic,
  SearchNotesToolResponseSchema,
} from "../../../../src/mcp-server/tools/searchNotesTool/logic.js";
import { notesProvider } from "../../../../src/services/notes/notesProvider.js";

const context = requestContextService.createRequestContext({ operation: "test" });
const search = (input: object) =>
  searchNotesToolLogic(SearchNotesToolInputSchema.parse(input), context);

describe("the search_notes logic", () => {
  afterEach(() => notesProvider.close());

  it("returns matching notes, newest first, and their total number", async () => {
    for (const title of ["one", "two", "three"])
      await notesProvider.save({ title, text: "same text" }, context);
    const response = SearchNotesToolResponseSchema.parse(await search({ query: "same", limit: 2 }));
    expect(response.notes.map(({ title }) => title)).toEqual(["three", "two"]);
    expect(response.total).toBe(3);
  });

  it("lists all notes without a query", async () => {
    await notesProvider.save({ title: "only", text: "note" }, context);
    expect(await search({})).toMatchObject({ total: 1, notes: [{ id: 1, title: "only" }] });
  });

  it("returns an empty list if nothing matches", async () => {
    expect(await search({ query: "nothing" })).toEqual({ notes: [], total: 0 });
  });
});
