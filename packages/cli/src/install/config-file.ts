/**
 * @fileoverview Reads and replaces configuration files. A replacement is atomic, keeps the mode and the owner, makes a
 * backup first, and detects changes by other programs.
 * @module cli/install/config-file
 */
import { constants } from "node:fs";
import {
  type FileHandle,
  lstat,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  unlink,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cliError } from "@tenon/internal/command-line/command";
import { fileReasonOf } from "@tenon/internal/files/file-error";
import { makeFolder } from "@tenon/internal/files/make-folder";
import { oneLine } from "@tenon/internal/text";
import { codeOf } from "@tenon/internal/thrown";
import type { ConfigFile } from "./types.js";

/** Maximum size of a configuration file in bytes. Claude Code keeps its state in the same file. */
export const MAX_BYTES = 64 * 1_024 * 1_024;

const BYTE_ORDER_MARK = "\ufeff";

/** Reads a file. A missing file has an empty text. @throws {CliError} if the file cannot be read as text */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const path = await resolveLink(file);
  try {
    // The type is checked before the file is opened, because opening a named pipe would wait for its writer.
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (found === undefined) return { path, text: "", hasByteOrderMark: false, status: undefined };
    if (!found.isFile()) throw cliError(`${quote(path)} is not a file.`);
    if (found.size > MAX_BYTES)
      throw cliError(`${quote(path)} is too large: ${found.size} bytes (limit: ${MAX_BYTES}).`);
    const text = decode(await readFile(path), path);
    const hasByteOrderMark = text.startsWith(BYTE_ORDER_MARK);
    return {
      path,
      text: hasByteOrderMark ? text.slice(1) : text,
      hasByteOrderMark,
      status: { mode: found.mode & 0o7777, uid: found.uid, gid: found.gid },
    };
  } catch (error) {
    throw fileError("read", path, error);
  }
}

/** Options for `changeConfigFile`. */
export interface ChangeOptions {
  /** True to create the folder of the file. */
  readonly createFolder: boolean;
  /** True if the change adds secrets. A new file is then readable only by its owner. */
  readonly hasSecrets: boolean;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  /** Waits before another attempt to lock the file. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Result of a change. */
export interface ChangedFile {
  /** Path of the backup. `undefined` if the file did not exist, or if nothing was changed. */
  readonly backup: string | undefined;
}

/**
 * Changes a file. `edit` returns the new text, or the same text to leave the file unchanged.
 *
 * The new content is written to a file beside it, which also serves as a lock against other runs of the command.
 *
 * @throws {CliError} if the file cannot be written, or if another program changed it during the call
 */
export async function changeConfigFile(
  file: string,
  options: ChangeOptions,
  edit: (file: ConfigFile) => string | Promise<string>,
): Promise<ChangedFile> {
  const path = await resolveLink(file);
  if (options.createFolder) await createFolder(path);
  const temporary = `${path}.tenon-new`;
  const handle = await openExclusively(temporary, path, options);
  let isReplaced = false;
  try {
    const before = await readConfigFile(path);
    const text = await edit(before);
    if (text === before.text && before.status !== undefined) return { backup: undefined };
    await copyStatus(handle, before, options);
    await handle.writeFile((before.hasByteOrderMark ? BYTE_ORDER_MARK : "") + text);
    await handle.sync();
    await handle.close();
    const backup = before.status === undefined ? undefined : await writeBackup(before, options.now());
    await assertUnchanged(before, backup);
    await rename(temporary, path);
    isReplaced = true;
    await syncFolder(dirname(path));
    return { backup };
  } catch (error) {
    throw fileError("change", path, error);
  } finally {
    await handle.close().catch(() => undefined); // it may be closed already
    if (!isReplaced) await unlink(temporary).catch(() => undefined);
  }
}

/** Finds the file that a symbolic link points to, so that the link is kept. */
async function resolveLink(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fileError("read", file, error);
  }
  const link = await lstat(file).catch(() => undefined);
  if (link?.isSymbolicLink() === true)
    throw cliError(`${quote(file)} is a symbolic link to a file that does not exist. Create the file first.`);
  return file;
}

async function createFolder(path: string): Promise<void> {
  await makeFolder(dirname(path)).catch((error: unknown) => {
    throw fileError("change", path, error);
  });
}

async function openExclusively(
  temporary: string,
  path: string,
  { hasSecrets, wait }: ChangeOptions,
): Promise<FileHandle> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await open(temporary, "wx", hasSecrets ? 0o600 : 0o666);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw fileError("change", path, error);
      if (attempt === MAX_ATTEMPTS)
        throw cliError(
          `Another tenon command is changing ${quote(path)}. If none is running, delete ${quote(temporary)}.`,
        );
      await wait(ATTEMPT_MS);
    }
  }
}

/** Attempts to lock a file, and the time between them: 10 seconds in total. */
const MAX_ATTEMPTS = 100;
const ATTEMPT_MS = 100;

/** Sets the permissions before the content is written. */
async function copyStatus(handle: FileHandle, { status, path }: ConfigFile, { hasSecrets }: ChangeOptions) {
  if (status === undefined) return hasSecrets ? handle.chmod(0o600) : undefined;
  const own = await handle.stat();
  if (own.uid !== status.uid || own.gid !== status.gid) {
    await handle.chown(status.uid, status.gid).catch(() => {
      throw cliError(`${quote(path)} belongs to another user. Run the command as that user.`);
    });
  }
  return handle.chmod(status.mode);
}

/** Reads the file again. @throws {CliError} if another program changed it. The backup is then removed */
async function assertUnchanged(before: ConfigFile, backup: string | undefined): Promise<void> {
  const now = await readConfigFile(before.path);
  const isSame =
    now.text === before.text &&
    now.hasByteOrderMark === before.hasByteOrderMark &&
    (now.status === undefined) === (before.status === undefined);
  if (isSame) return;
  if (backup !== undefined) await unlink(backup).catch(() => undefined);
  throw cliError(
    `${quote(before.path)} was changed by another program at the same time. Nothing was written. Run the command again.`,
  );
}

/** Makes the rename durable. Not every platform supports this. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw cliError(`${quote(path)} is not UTF-8 text. Save it as UTF-8, and run the command again.`);
  }
}

function fileError(verb: string, path: string, error: unknown): unknown {
  const reason = fileReasonOf(error);
  return reason === undefined ? error : cliError(`Could not ${verb} ${quote(path)}: ${reason}.`);
}

/** Quotes a path for a message. */
export function quote(path: string): string {
  return `"${oneLine(path, 500)}"`;
}

/** Writes a file's content to a new file beside it, which only its owner can read. Returns the path. */
async function writeBackup(file: ConfigFile, now: number): Promise<string> {
  for (let number = 1; number <= MAX_SAME_TIME; number++) {
    const path = `${file.path}.${stampOf(now)}${number === 1 ? "" : `-${number}`}.bak`;
    const handle = await open(path, "wx", 0o600).catch((error: unknown) => {
      if (codeOf(error) === "EEXIST") return undefined;
      throw error;
    });
    if (handle === undefined) continue;
    try {
      await handle.writeFile((file.hasByteOrderMark ? "\ufeff" : "") + file.text);
      await handle.sync();
      return path;
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }
  throw cliError(`Could not create a backup of "${file.path}": too many backups from the same second.`);
}

/** Maximum number of backups from the same second. */
const MAX_SAME_TIME = 100;

/** Lists the newest backups of a file, the newest one first. */
export async function listBackups(path: string): Promise<readonly string[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch((): string[] => []);
  return names
    .filter((name) => name.startsWith(prefix) && STAMP.test(name.slice(prefix.length)))
    .toSorted((a, b) => (a < b ? 1 : -1))
    .slice(0, MAX_LISTED)
    .map((name) => join(dirname(path), name));
}

/** Number of backups that are compared with a file. */
const MAX_LISTED = 50;
const STAMP = /^\d{8}T\d{6}Z(?:-\d+)?\.bak$/;

/** Formats a time in UTC for a file name: `20300102T030405Z`. */
function stampOf(now: number): string {
  return `${new Date(now).toISOString().slice(0, "2030-01-02T03:04:05".length).replace(/[-:]/g, "")}Z`;
}
