/**
 * @fileoverview Checks the version and the configuration of a Redis server at the start.
 * @module redis/connection/check-server
 */
import type { Link } from "./link.js";

const MIN_VERSION = 7;

/**
 * Checks a server. Passes problems that do not prevent a start to `warn`.
 * @throws if the version is too old
 */
export async function checkServer(link: Link, name: string, warn: (warning: string) => void): Promise<void> {
  const info = await readInfo(link);
  if (info === undefined) {
    warn(`Could not check the settings of ${name}: the user is not allowed to run INFO.`);
    return;
  }
  const version = info.get("redis_version");
  if (version !== undefined && Number.parseInt(version, 10) < MIN_VERSION) {
    throw new Error(`${name} has version ${version}. Redis or Valkey ${MIN_VERSION} or newer is required.`);
  }
  const policy = info.get("maxmemory_policy");
  if (policy !== undefined && policy !== "noeviction") {
    warn(
      `${name} evicts keys when its memory is full (maxmemory-policy: ${policy}). ` +
        "Sessions and tasks can be lost. Set `maxmemory-policy noeviction`.",
    );
  }
  if (info.get("aof_enabled") === "0") {
    const saves = await readSaveRule(link);
    warn(
      saves === ""
        ? `${name} does not write its data to disk. A restart loses all sessions and tasks. Set \`appendonly yes\`.`
        : `${name} writes its data to disk only from time to time. A crash loses the latest changes. Set \`appendonly yes\`.`,
    );
  }
}

/** Returns the fields of INFO, or `undefined` if the user may not run it. */
async function readInfo(link: Link): Promise<ReadonlyMap<string, string> | undefined> {
  const text = await orDenied(link.run((client) => client.info(), { repeatable: true }));
  return text === undefined ? undefined : new Map(text.split(/\r?\n/).map(toField));
}

function toField(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1)];
}

/** Returns the rule for snapshots, or `undefined` if the user may not read it. It is empty if there are none. */
async function readSaveRule(link: Link): Promise<string | undefined> {
  const reply = await orDenied(link.run((client) => client.config("GET", "save"), { repeatable: true }));
  return Array.isArray(reply) ? String(reply[1]) : undefined;
}

/** Returns `undefined` if the user lacks the permission. Hosted services often remove CONFIG altogether. */
async function orDenied<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof Error && /NOPERM|unknown command/i.test(error.message)) return undefined;
    throw error;
  }
}
