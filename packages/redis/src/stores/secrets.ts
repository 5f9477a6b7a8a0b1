/**
 * @fileoverview Secret that all nodes share if the user has set none. The first node creates it.
 * @module redis/stores/secrets
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Link } from "../connection/index.js";
import type { KeyNames } from "../keys.js";

const SECRET_BYTES = 32;

/** Returns the secret in Redis. Creates it if it does not exist. */
export async function readSecret({ link, keys }: { link: Link; keys: KeyNames }): Promise<Uint8Array> {
  const name = keys.toKey("secret", "shared");
  const created = randomBytes(SECRET_BYTES).toString("base64url");
  // Repeatable: if its own secret was stored before, Redis returns it.
  const stored = await link.run((client) => client.set(name, created, "NX", "GET"), { repeatable: true });
  return new Uint8Array(Buffer.from(stored ?? created, "base64url"));
}
