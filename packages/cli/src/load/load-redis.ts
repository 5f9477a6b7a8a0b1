/**
 * @fileoverview Creates the Redis store for `tenon run --redis` with the project's `@tenon/redis`.
 * @module cli/load/load-redis
 */
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { SharedStore } from "tenon/stores";
import { cliError, type Terminal } from "@tenon/internal/command-line/command";
import { defineOptions, optionsFromEnv } from "@tenon/internal/options/define-options";
import { custom } from "@tenon/internal/options/option-rows";
import { oneLine } from "@tenon/internal/text";
import { messageOf } from "@tenon/internal/thrown";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { isUrl } from "@tenon/internal/security/is-url";
import { resolveFrom } from "./split-target.js";
import type { UserModule } from "./user-error.js";

/** Address and keys of the store. Messages do not contain their values. */
export const REDIS_OPTIONS = /* @__PURE__ */ defineOptions("tenon run --redis", {
  /** Address of the Redis server. */
  url: custom<string>({
    env: "TENON_REDIS_URL",
    expected: "a URL such as redis://127.0.0.1:6379, or the path of a Unix socket",
    accepts: (url) =>
      typeof url === "string" &&
      (url.startsWith("/") ||
        (/^rediss?:\/\//.test(url) && isUrl(url)) ||
        /^rediss?\+sentinel:\/\/./.test(url)),
    isSecret: true,
  }),
  /** Keys that encrypt the records. */
  keys: custom<readonly string[]>({
    env: "TENON_KEYS",
    fromText: (text) => text.split(",").map((key) => key.trim()),
  }),
});

/** Reads the keys from the environment. @throws {CliError} if one is too short */
function readKeys(env: Terminal["env"]): readonly string[] | undefined {
  const { keys } = optionsFromEnv(REDIS_OPTIONS, env);
  const shortest = Math.min(...(keys ?? []).map((key) => encodeUtf8(key).length));
  if (shortest >= MIN_KEY_BYTES) return keys;
  throw cliError(
    `Each key in TENON_KEYS must have at least ${MIN_KEY_BYTES} bytes; got one with ${shortest}. ` +
      "Create a key with: openssl rand -hex 32",
  );
}

/** Creates the store. @throws {CliError} if the package is not installed or rejects an option */
export async function loadRedis(url: string, module: UserModule, env: Terminal["env"]): Promise<SharedStore> {
  const keys = readKeys(env);
  const entry = resolveFrom(dirname(module.path), PACKAGE) ?? resolveFrom(module.cwd, PACKAGE);
  if (entry === undefined)
    throw cliError(`--redis requires the package ${PACKAGE}. Install it: npm install ${PACKAGE}`);
  try {
    // Safe: the package exports this function.
    const { redis } = (await import(pathToFileURL(entry).href)) as { readonly redis: CreateStore };
    return redis({ url, ...(keys === undefined ? {} : { keys }) });
  } catch (error) {
    throw cliError(`Could not use ${PACKAGE}: ${hideCredentials(messageOf(error) ?? "unknown error", url)}`);
  }
}

/** Replaces the credentials of a URL in a text. */
export function hideCredentials(text: string, url: string): string {
  const [, login = ""] = /^[a-z+]+:\/\/([^@/?#]*)@/.exec(url) ?? [];
  const [username = "", ...rest] = login.split(":");
  const password = rest.join(":");
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

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
