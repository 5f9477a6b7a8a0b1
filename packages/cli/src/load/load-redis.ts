/**
 * @fileoverview Creates the Redis store for `tenon run --redis` with the project's `@tenon/redis`.
 * @module cli/load/load-redis
 */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { SharedStore } from "tenon/stores";
import { cliError, usageError } from "@tenon/internal/command-line/command";
import { oneLine } from "@tenon/internal/text";
import { messageOf } from "@tenon/internal/thrown";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { isUrl } from "@tenon/internal/security/is-url";
import type { UserModule } from "./user-error.js";

/** Address and keys of the store. */
export interface RedisFlags {
  readonly url: string;
  /** Value of `TENON_KEYS`. */
  readonly keys: string | undefined;
}

/** Asserts that the flag and the environment variable are valid. @throws {CliError} that does not contain their values */
export function assertRedisFlags({ url, keys }: RedisFlags): void {
  const isRedis = /^rediss?:\/\//.test(url) && isUrl(url);
  if (!isRedis && !url.startsWith("/"))
    throw usageError("--redis must be a URL such as redis://127.0.0.1:6379, or the path of a Unix socket.");
  const lengths = splitKeys(keys)?.map((key) => encodeUtf8(key).length) ?? [];
  const shortest = Math.min(...lengths);
  if (shortest < MIN_KEY_BYTES)
    throw cliError(
      `Each key in TENON_KEYS must have at least ${MIN_KEY_BYTES} bytes; got one with ${shortest}. ` +
        "Create a key with: openssl rand -hex 32",
    );
}

/** Creates the store. @throws {CliError} if the package is not installed or rejects an option */
export async function loadRedis(flags: RedisFlags, module: UserModule): Promise<SharedStore> {
  const entry = findPackage(dirname(module.path)) ?? findPackage(module.cwd);
  if (entry === undefined)
    throw cliError(`--redis requires the package ${PACKAGE}. Install it: npm install ${PACKAGE}`);
  const keys = splitKeys(flags.keys);
  try {
    // Safe: the package exports this function.
    const { redis } = (await import(pathToFileURL(entry).href)) as { readonly redis: CreateStore };
    return redis({ url: flags.url, ...(keys === undefined ? {} : { keys }) });
  } catch (error) {
    throw cliError(
      `Could not use ${PACKAGE}: ${hideCredentials(messageOf(error) ?? "unknown error", flags.url)}`,
    );
  }
}

/** Replaces the credentials of a URL in a text. */
export function hideCredentials(text: string, url: string): string {
  const { username, password } = isUrl(url) ? new URL(url) : { username: "", password: "" };
  const secrets = [url, password, decode(password), username, decode(username)];
  const hidden = secrets.reduce(
    (shown, secret) => (secret === "" ? shown : shown.replaceAll(secret, "***")),
    text,
  );
  return oneLine(hidden, MAX_MESSAGE);
}

type CreateStore = (options: { readonly url: string; readonly keys?: readonly string[] }) => SharedStore;

const PACKAGE = "@tenon/redis";
const MIN_KEY_BYTES = 32;
const MAX_MESSAGE = 1_000;

/** Splits the keys. Returns `undefined` if the variable is not set or empty. */
function splitKeys(keys: string | undefined): readonly string[] | undefined {
  if (keys === undefined || keys.trim() === "") return undefined;
  return keys.split(",").map((key) => key.trim());
}

function findPackage(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
