/**
 * @fileoverview Notebook in a SQLite database, and the instance that all tools share. SQLite runs as
 * WebAssembly, so the package works on every platform without a build step.
 * @module src/services/notes/notesProvider
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import sqlite, { type Database } from "node-sqlite3-wasm";
import { z } from "zod";
import { config } from "../../config/index.js";
import { BaseErrorCode, McpError } from "../../types-global/errors.js";
import { logger, type RequestContext } from "../../utils/index.js";

/** A note to save. */
export interface NewNote {
  /** Short heading. */
  readonly title: string;
  /** The note's text. */
  readonly text: string;
}

/** A saved note. */
export interface Note extends NewNote {
  /** Number that identifies the note. */
  readonly id: number;
  /** Time when the note was saved, in ISO 8601. */
  readonly savedAt: string;
}

/** Criteria for a search. */
export interface NoteSearch {
  /** Text to find in titles and texts. Case does not matter. Empty text matches every note. */
  readonly query: string;
  /** Maximum number of notes to return. */
  readonly limit: number;
}

/** Notes that match a search. */
export interface NoteSearchResult {
  /** Matching notes, newest first. */
  readonly notes: readonly Note[];
  /** Number of matching notes, including those beyond the limit. */
  readonly total: number;
}

/** Shape of a row. Rows are validated, because other programs can change the file. */
const NoteRowSchema = z.object({
  id: z.number().int(),
  title: z.string(),
  text: z.string(),
  savedAt: z.string(),
});
const CountRowSchema = z.object({ count: z.number().int() });

const TABLE = `CREATE TABLE IF NOT EXISTS notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  text TEXT NOT NULL,
  savedAt TEXT NOT NULL
)`;
const MATCHES = String.raw`title LIKE :pattern ESCAPE '\' OR text LIKE :pattern ESCAPE '\'`;
const IN_MEMORY = ":memory:";
const MAX_NOTES = 10_000;
const MAX_ATTEMPTS = 50;
const RETRY_MS = 20;
const STALE_LOCK_MS = 60_000;

/** Notebook in a SQLite file. The file is opened on first use. */
export class NotesProvider {
  readonly #path: () => string;
  // Mutable, because the connection is opened on first use and closed at shutdown.
  readonly #connection: { database?: Database | undefined } = {};

  /** @param path - Returns the path of the database file, or `:memory:`. Called when it is opened. */
  constructor(path: () => string) {
    this.#path = path;
  }

  /**
   * Saves a note.
   *
   * @param note - The note. Its text is stored as it is.
   * @param context - The request context, for logging.
   * @returns The saved note with its ID and time.
   * @throws {McpError} `CONFLICT` if the notebook is full, or `DATABASE_ERROR` if the database fails.
   */
  async save(note: NewNote, context: RequestContext): Promise<Note> {
    const { title, text } = note;
    const savedAt = new Date().toISOString();
    const noteId = await this.#use((database) => {
      const { changes, lastInsertRowid } = database.run(
        `INSERT INTO notes (title, text, savedAt) SELECT :title, :text, :savedAt
         WHERE (SELECT count(*) FROM notes) < :max`,
        { ":title": title, ":text": text, ":savedAt": savedAt, ":max": MAX_NOTES },
      );
      return changes === 0 ? undefined : Number(lastInsertRowid);
    });
    if (noteId === undefined) {
      throw new McpError(
        BaseErrorCode.CONFLICT,
        `The notebook is full (limit: ${MAX_NOTES} notes).`,
      );
    }
    logger.debug("Note saved.", { ...context, noteId });
    return { id: noteId, title, text, savedAt };
  }

  /**
   * Finds notes by their title and text.
   *
   * @param search - The text to find, and the maximum number of notes.
   * @param context - The request context, for logging.
   * @returns The matching notes, newest first, and their total number.
   * @throws {McpError} `DATABASE_ERROR` if the database fails or contains invalid rows.
   */
  async search(search: NoteSearch, context: RequestContext): Promise<NoteSearchResult> {
    // Values are always bound, never inserted into the SQL text. `%` and `_` match themselves.
    const pattern = `%${search.query.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    const result = await this.#use((database) => {
      const rows = database.all(
        `SELECT id, title, text, savedAt FROM notes WHERE ${MATCHES} ORDER BY id DESC LIMIT :limit`,
        { ":pattern": pattern, ":limit": search.limit },
      );
      const row = database.get(`SELECT count(*) AS count FROM notes WHERE ${MATCHES}`, {
        ":pattern": pattern,
      });
      return { notes: NoteRowSchema.array().parse(rows), total: CountRowSchema.parse(row).count };
    });
    logger.debug("Notes searched.", { ...context, total: result.total });
    return result;
  }

  /** Closes the database. The next use opens it again. */
  close(): void {
    this.#connection.database?.close();
    this.#connection.database = undefined;
  }

  /** Runs a query. Waits up to a second while another process uses the database. */
  async #use<Result>(
    query: (database: Database) => Result,
    attempts = MAX_ATTEMPTS,
  ): Promise<Result> {
    try {
      return query((this.#connection.database ??= open(this.#path())));
    } catch (cause) {
      if (attempts > 1 && cause instanceof Error && cause.message === "database is locked") {
        removeStaleLock(`${this.#path()}.lock`);
        await setTimeout(RETRY_MS);
        return this.#use(query, attempts - 1);
      }
      // The cause is logged but never sent to the client.
      throw new McpError(
        BaseErrorCode.DATABASE_ERROR,
        "The notes database is not available. Try again later.",
        undefined,
        { cause },
      );
    }
  }
}

/** The instance that all tools share. */
export const notesProvider = new NotesProvider(() => config.extra.NOTES_DATABASE_PATH);

/** Opens the database and creates its table. */
function open(path: string): Database {
  if (path !== IN_MEMORY) mkdirSync(dirname(path), { recursive: true });
  const database = new sqlite.Database(path);
  try {
    database.exec(TABLE);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Removes the lock of a process that was killed during a query. Queries take much less than a minute. */
function removeStaleLock(lock: string): void {
  const stats = statSync(lock, { throwIfNoEntry: false });
  const isStale = stats !== undefined && Date.now() - stats.mtimeMs > STALE_LOCK_MS;
  if (isStale) rmSync(lock, { recursive: true, force: true });
}
