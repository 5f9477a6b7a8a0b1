/**
 * @fileoverview Tests the notebook with real SQLite files.
 * @module tests/services/notes/notesProvider.test
 */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requestContextService } from "@tenon/app";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NotesProvider } from "../../../src/services/notes/notesProvider.js";

const context = requestContextService.createRequestContext({ operation: "test" });

describe("the notebook", () => {
  let folder: string;
  let path: string;
  let notes: NotesProvider;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "notes-"));
    path = join(folder, "data", "notes.db"); // the folder is created
    notes = new NotesProvider(() => path);
  });

  afterEach(() => {
    notes.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("finds a note by its title and by its text, in any case, newest first", async () => {
    await notes.save({ title: "Groceries", text: "milk, bread" }, context);
    await notes.save({ title: "Ideas", text: "A bakery with BREAD" }, context);
    const { notes: found, total } = await notes.search({ query: "bread", limit: 10 }, context);
    expect(found.map(({ title }) => title)).toEqual(["Ideas", "Groceries"]);
    expect(total).toBe(2);
    expect((await notes.search({ query: "GROC", limit: 10 }, context)).total).toBe(1);
    expect((await notes.search({ query: "", limit: 1 }, context)).notes).toHaveLength(1);
  });

  it.each(["%", "_", "\\", "'; DROP TABLE notes; --"])("takes %j literally", async (query) => {
    await notes.save({ title: "plain", text: "nothing special" }, context);
    const { id } = await notes.save({ title: "special", text: `a${query}b` }, context);
    const { notes: found } = await notes.search({ query, limit: 10 }, context);
    expect(found.map((note) => note.id)).toEqual([id]);
  });

  it("keeps notes after it is closed and opened again", async () => {
    const saved = await notes.save({ title: "Kept", text: "on disk" }, context);
    notes.close();
    const { notes: found } = await new NotesProvider(() => path).search(
      { query: "disk", limit: 10 },
      context,
    );
    expect(found).toEqual([saved]);
  });

  it("serves several connections to the same file", async () => {
    const other = new NotesProvider(() => path);
    const titles = Array.from({ length: 20 }, (_, index) => `note ${index}`);
    await Promise.all(
      titles.map((title, index) =>
        (index % 2 === 0 ? notes : other).save({ title, text: "x" }, context),
      ),
    );
    expect((await notes.search({ query: "note", limit: 50 }, context)).total).toBe(20);
    other.close();
  });

  it("removes the lock of a process that was killed", async () => {
    mkdirSync(`${path}.lock`, { recursive: true });
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(`${path}.lock`, hourAgo, hourAgo);
    await expect(notes.save({ title: "a", text: "b" }, context)).resolves.toMatchObject({ id: 1 });
  });

  it("throws DATABASE_ERROR without details if the file is locked or not a database", async () => {
    const failure = {
      code: "DATABASE_ERROR",
      message: "The notes database is not available. Try again later.",
    };
    mkdirSync(`${path}.lock`, { recursive: true });
    await expect(notes.save({ title: "a", text: "b" }, context)).rejects.toMatchObject(failure);
    rmSync(`${path}.lock`, { recursive: true });
    writeFileSync(path, "not a database".repeat(1_000));
    await expect(notes.search({ query: "", limit: 1 }, context)).rejects.toMatchObject(failure);
  });
});
