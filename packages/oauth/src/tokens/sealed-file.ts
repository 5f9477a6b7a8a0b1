/**
 * @fileoverview JSON file that is encrypted with AES-256-GCM and replaced atomically.
 * @module oauth/tokens/sealed-file
 */
import type { Bytes } from "@tenon/internal/bytes";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { toBase64Url } from "@tenon/internal/base64";
import { toFileError } from "@tenon/internal/files/file-error";
import { makeFolder } from "@tenon/internal/files/make-folder";
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { systemPorts } from "@tenon/internal/ports";
import { codeOf } from "@tenon/internal/thrown";

/** Encrypted file. Reading or changing it requires its key. */
export interface SealedFile {
  /** Reads the contents, or an empty object if the file does not exist. @throws if decryption fails */
  readonly read: () => Promise<JsonObject>;
  /** Replaces the contents. @throws if they are too large or the file is not writable */
  readonly write: (value: JsonObject) => Promise<void>;
}

/** Format marker at the start of the file, authenticated together with the contents. */
const HEADER = new TextEncoder().encode("tenon-tokens-1\n");
const IV_BYTES = 12;
const MAX_BYTES = 8 * 1024 * 1024;

/** Opens a file, which does not have to exist yet. */
export function openSealedFile(path: string, rawKey: Bytes): SealedFile {
  const { subtle } = systemPorts;
  let imported: ReturnType<typeof subtle.importKey> | undefined;
  const key = () => (imported ??= subtle.importKey("raw", rawKey, "AES-GCM", false, ["encrypt", "decrypt"]));

  return {
    async read() {
      const bytes = await readIfThere(path);
      if (bytes === undefined) return {};
      const start = HEADER.length + IV_BYTES;
      if (!HEADER.every((byte, index) => bytes[index] === byte)) throw unreadable(path);
      const iv = bytes.slice(HEADER.length, start);
      try {
        const opened = await subtle.decrypt(
          { name: "AES-GCM", iv, additionalData: HEADER },
          await key(),
          bytes.slice(start),
        );
        const value = readJson(new TextDecoder().decode(opened));
        if (isJsonObject(value)) return value;
      } catch {
        // Ignore the cause: decryption cannot distinguish a wrong key from a damaged file.
      }
      throw unreadable(path);
    },
    async write(value) {
      const iv = systemPorts.randomBytes(IV_BYTES);
      const text = new TextEncoder().encode(JSON.stringify(value));
      const sealed = await subtle.encrypt({ name: "AES-GCM", iv, additionalData: HEADER }, await key(), text);
      if (sealed.byteLength > MAX_BYTES - 64)
        throw new Error(
          `Token file "${path}" would be too large (limit: ${MAX_BYTES} bytes). Remove unused accounts.`,
        );
      await replaceFile(path, new Uint8Array([...HEADER, ...iv, ...new Uint8Array(sealed)])).catch(
        (error: unknown) => {
          throw toFileError("write the token file", path, error);
        },
      );
    },
  };
}

async function readIfThere(path: string): Promise<Bytes | undefined> {
  try {
    if ((await stat(path)).size > MAX_BYTES) throw unreadable(path);
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces a file atomically. Readers see either the old or the new contents. Only the owner can read the file. */
async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const draft = `${path}.${toBase64Url(systemPorts.randomBytes(9))}.tmp`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function unreadable(path: string): Error {
  return new Error(
    `Could not decrypt token file "${path}". ` +
      "The file is damaged or was encrypted with a different key. It was left unchanged. " +
      "Use the original key, or delete the file and sign in again.",
  );
}
