/**
 * @fileoverview Secret in a task directory, for servers without keys of their own. The file also shows that the log of
 * the directory is encrypted. Whoever can delete the file can also replace it, so this protects only against mistakes.
 *
 * A new secret is written to `key.next`. It is renamed to `key` when the log is encrypted with it, so that a process
 * that stops in between can start again.
 * @module tenon/tasks/directory/directory-key
 */
import { Buffer } from "node:buffer";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import { systemPorts } from "@tenon/internal/ports";
import { codeOf } from "@tenon/internal/thrown";
import { ACCESSIBLE, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, openPrivate } from "./private-files.js";

/** Secret of a directory. */
export interface DirectoryKey {
  /** Text of the file, so that it can be one of the keys in `state.keys` too. */
  readonly secret: string;
  /** False until the log is encrypted with the secret. */
  readonly isUsed: boolean;
}

/** Returns the secret of a directory, and creates it if there is none. @throws if a file is damaged or not private */
export async function readDirectoryKey(directory: string): Promise<DirectoryKey> {
  const used = await readSecret(pathOf(directory));
  if (used !== undefined) return { secret: used, isUsed: true };
  const next = `${pathOf(directory)}.next`;
  // A process that stopped may have left a file without its content.
  const known = await readSecret(next).catch(() => undefined);
  if (known !== undefined) return { secret: known, isUsed: false };
  const secret = toBase64Url(systemPorts.randomBytes(SECRET_BYTES));
  await rm(next, { force: true });
  const file = await openPrivate(next, O_RDWR | O_CREAT | O_EXCL);
  try {
    await file.writeFile(`${secret}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return { secret, isUsed: false };
}

/** Marks a new secret as used. */
export async function keepDirectoryKey(directory: string): Promise<void> {
  await rename(`${pathOf(directory)}.next`, pathOf(directory));
}

function pathOf(directory: string): string {
  return join(directory, "key");
}

async function readSecret(path: string): Promise<string | undefined> {
  let text: string;
  try {
    const file = await openPrivate(path, O_RDONLY, ACCESSIBLE);
    try {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_LENGTH), 0, MAX_LENGTH, 0);
      text = buffer.toString("latin1", 0, bytesRead).trimEnd();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  if (fromBase64Url(text)?.length === SECRET_BYTES) return text;
  throw new Error(
    `The file "${path}" does not contain a secret. Restore it from a backup, or use a different directory.`,
  );
}

const SECRET_BYTES = 32;
const MAX_LENGTH = 100;
