/**
 * @fileoverview Files with the token counts of one day: one JSON object per line, which is only appended. Incomplete
 * and unreadable lines are ignored.
 * @module agent/storage/usage/day-file
 */
import { lstat, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { makeStorage } from "../disk/make-task.js";
import { isAbsent, type LogFile, openOrCreateLogFile, openRegularFile, syncFolder } from "../log-file.js";
import { NEWLINE } from "../log-lines.js";

/** Key of a user, and tokens that the user has used. */
export type UserTokens = readonly [key: string, tokens: number];

/** Returns the UTC day of a time as year, month, and day of the month, separated by hyphens. */
export function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Returns the path of a day's file. */
export function dayPath(folder: string, day: string): string {
  return join(folder, `${day}${SUFFIX}`);
}

/**
 * Reads a day's file in pieces, and passes each line to a function. Returns the length of the complete lines in bytes,
 * which is 0 if the file does not exist.
 *
 * @throws {Error} if the file cannot be read or is not a regular file
 */
export async function readDay(path: string, each: (line: UserTokens) => void): Promise<number> {
  const handle = await openRegularFile(path).catch((error: unknown) => {
    if (isAbsent(error)) return "missing" as const;
    throw error;
  });
  if (handle === "missing") return 0;
  if (handle === undefined) throw new Error("The usage file is not a regular file.");
  try {
    const bytes = new Uint8Array(PIECE);
    // A line with malformed text is ignored like every other line that the ledger did not write.
    const decoder = new TextDecoder();
    let length = 0;
    // Number of bytes at the start of the buffer that belong to a line whose end was not read yet.
    let kept = 0;
    for (let position = 0; ;) {
      const { bytesRead } = await handle.read(bytes, kept, PIECE - kept, position);
      if (bytesRead === 0) return length;
      position += bytesRead;
      const filled = kept + bytesRead;
      const end = bytes.subarray(0, filled).lastIndexOf(NEWLINE) + 1;
      for (const text of decoder.decode(bytes.subarray(0, end)).split("\n")) {
        const line = readUserTokens(text);
        if (line !== undefined) each(line);
      }
      if (end > 0) length = position - (filled - end);
      // A line that does not fit in the buffer was not written by the ledger.
      kept = filled - end === PIECE ? 0 : filled - end;
      bytes.copyWithin(0, end, end + kept);
    }
  } finally {
    await handle.close();
  }
}

/**
 * Appends lines after the first `length` bytes of a day's file. Bytes after them are an incomplete write, and are
 * removed. Returns the new length of the file when the lines are on disk.
 *
 * @throws {Error} if the lines could not be stored. The file is then as before, or the next append restores it
 */
export async function appendToDay(
  path: string,
  length: number,
  lines: Iterable<UserTokens>,
): Promise<number> {
  const folder = dirname(path);
  await makeStorage(folder);
  if (!(await lstat(folder)).isDirectory()) throw new Error("The usage folder is not a folder.");
  const text = Array.from(lines, ([user, tokens]) => `${JSON.stringify({ user, tokens })}\n`).join("");
  const bytes = encodeUtf8(text);
  const file = await openOrCreateLogFile(path);
  try {
    const size = await file.size();
    // The operator may have removed the file.
    const start = Math.min(size, length);
    if (size > start) await file.truncate(start);
    await writeOrUndo(file, bytes, start);
    if (start === 0) await syncFolder(folder);
    return start + bytes.length;
  } finally {
    await file.close();
  }
}

/** Removes the files of days that are more than 32 days before the given day. */
export async function removeOldDays(folder: string, day: string): Promise<void> {
  const oldest = toDay(Date.parse(day) - MAX_DAYS * 86_400_000);
  const names = await readdir(folder).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });
  for (const name of names) {
    if (DAY_FILE.test(name) && name < `${oldest}${SUFFIX}`) await rm(join(folder, name), { force: true });
  }
}

async function writeOrUndo(file: LogFile, bytes: Uint8Array, start: number): Promise<void> {
  try {
    await file.write(bytes, start);
    await file.sync();
  } catch (error) {
    await file.truncate(start).catch(() => undefined);
    throw error;
  }
}

function readUserTokens(text: string): UserTokens | undefined {
  if (text === "" || text.length > MAX_LINE) return undefined;
  const value = readJson(text);
  if (!isJsonObject(value)) return undefined;
  const { user, tokens } = value;
  const isValid = typeof user === "string" && typeof tokens === "number" && Number.isSafeInteger(tokens);
  return isValid && tokens > 0 ? [user, tokens] : undefined;
}

const SUFFIX = ".jsonl";
const DAY_FILE = /^\d{4}-\d\d-\d\d\.jsonl$/;
const MAX_DAYS = 32;
const PIECE = 65_536;
const MAX_LINE = 256;
