/**
 * @fileoverview Token store in one encrypted file, for the programs that a single user runs on one machine.
 * @module oauth/tokens/file-token-store
 */
import { createHash } from "node:crypto";
import { fromBase64, fromBase64Url } from "@tenon/internal/base64";
import { withLock } from "@tenon/internal/files/with-lock";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, text } from "@tenon/internal/options/option-rows";
import { type Ports, systemPorts } from "@tenon/internal/ports";
import { createKeyedMutex } from "./keyed-mutex.js";
import { createMutex } from "./mutex.js";
import { openSealedFile } from "./sealed-file.js";
import type { TokenStore } from "./token-store.js";

const FILE_STORE_OPTIONS = /* @__PURE__ */ defineOptions("createFileTokenStore", {
  /** File path. Missing folders are created, accessible only to their owner. */
  path: text({ required: true, expected: 'a non-empty string, such as "./tokens"' }),
  /** 32 random bytes, raw or base64-encoded (`openssl rand -base64 32`). Do not store the key next to the file. */
  key: custom<Uint8Array | string>({
    required: true,
    expected: "32 bytes, raw or base64-encoded",
    accepts: (value) => decodeKey(value)?.length === 32,
    got: (value) => (decodeKey(value) === undefined ? kindOf(value) : `${decodeKey(value)?.length} bytes`),
    fix: () => "Create one with: openssl rand -base64 32",
  }),
  /** Clock, for tests. */
  ports: custom<Pick<Ports, "now">>({ default: systemPorts }),
});

/** Options for `createFileTokenStore`. */
export type FileTokenStoreOptions = OptionsOf<typeof FILE_STORE_OPTIONS>;

/**
 * Creates a store in one file. The file is encrypted with AES-256-GCM and accessible only to its owner. Every change
 * replaces it atomically. Changes run one at a time, also if several processes of one machine share the file.
 *
 * @throws if the path is empty or the key is not 32 bytes long
 */
export function createFileTokenStore(options: FileTokenStoreOptions): TokenStore {
  const { path, key: given, ports } = parseOptions(FILE_STORE_OPTIONS, options);
  const file = openSealedFile(path, new Uint8Array(decodeKey(given) ?? [])); // a copy, because callers may clear theirs
  const runExclusive = createMutex();
  const runByKey = createKeyedMutex();

  const change = <T>(edit: (entries: Map<string, unknown>) => T): Promise<T> => {
    const replace = async (confirm: () => Promise<void>): Promise<T> => {
      const entries = new Map<string, unknown>(
        Object.entries(await file.read()).filter(([, entry]) => isLive(entry, ports.now())),
      );
      const result = edit(entries);
      await confirm();
      await file.write(Object.fromEntries(entries));
      return result;
    };
    return runExclusive(() => withLock(`${path}.lock`, replace));
  };

  return {
    get: (key) =>
      runExclusive(async () => {
        const entries = await file.read();
        const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
        return isLive(entry, ports.now()) ? entry["value"] : undefined;
      }),
    set: (key, value, ttlMs) =>
      change((entries) => {
        const expiresAt = ttlMs === undefined ? undefined : ports.now() + ttlMs;
        entries.set(key, { value, expiresAt });
        return true;
      }),
    delete: (key) => change((entries) => entries.delete(key)),
    lock: (key, task, signal) =>
      runByKey(key, () =>
        // The task of another process may wait for a user who signs in.
        withLock(`${path}.${digestOf(key)}.lock`, () => task(), { signal, waitMs: Infinity }),
      ),
  };
}

/** Returns a name for a key that is safe in a path. */
function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, 22);
}

function isLive(entry: unknown, now: number): entry is JsonObject {
  if (!isJsonObject(entry)) return false;
  const { expiresAt } = entry;
  return typeof expiresAt !== "number" || expiresAt > now;
}

function decodeKey(key: unknown): Uint8Array | undefined {
  const bytes = typeof key === "string" ? (fromBase64(key) ?? fromBase64Url(key)) : key;
  return bytes instanceof Uint8Array ? bytes : undefined;
}
