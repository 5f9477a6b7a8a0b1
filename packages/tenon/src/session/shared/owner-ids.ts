/**
 * @fileoverview Opaque IDs for the owners of sessions, so that a store can count sessions without knowing principals and
 * addresses. They are keyed digests. The key is in the store, encrypted.
 * @module session/shared/owner-ids
 */
import { fromBase64Url, toBase64Url } from "@tenon/internal/base64";
import type { Bytes } from "@tenon/internal/bytes";
import type { Ports } from "@tenon/internal/ports";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { UNKNOWN_OWNER } from "../owner.js";
import type { ClusterNode } from "./cluster-node.js";

/** Creates the IDs of owners. All nodes of a server create the same ones. */
export class OwnerIds {
  readonly #node: ClusterNode;
  #key: Promise<HmacKey> | undefined;

  constructor(node: ClusterNode) {
    this.#node = node;
  }

  /** Returns the ID of an owner, or `undefined` if the owner is unknown. */
  async of(owner: string): Promise<string | undefined> {
    if (owner === UNKNOWN_OWNER) return undefined;
    this.#key ??= this.#importKey().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    const digest = await this.#node.ports.subtle.sign("HMAC", await this.#key, encodeUtf8(owner));
    return toBase64Url(new Uint8Array(digest)).slice(0, ID_LENGTH);
  }

  async #importKey(): Promise<HmacKey> {
    const hmac = { name: "HMAC", hash: "SHA-256" };
    return this.#node.ports.subtle.importKey("raw", await this.#loadKey(), hmac, false, ["sign"]);
  }

  /** Reads the key, or creates it. A key that cannot be decrypted any more is replaced. */
  async #loadKey(): Promise<Bytes> {
    const { ports, sealer, server, store } = this.#node;
    const name = `session-owners/${server}`;
    const created = ports.randomBytes(KEY_BYTES);
    const value = await sealer.seal(toBase64Url(created), name);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const entry = await store.values.get(name);
      const text = entry && (await sealer.open(entry.value, name));
      const found = text === undefined ? undefined : fromBase64Url(text);
      if (found !== undefined) return found;
      if (await store.values.compareAndSet(name, entry?.version ?? null, { value })) return created;
    }
    throw new Error("The key for the owners of sessions changes too often.");
  }
}

type HmacKey = Awaited<ReturnType<Ports["subtle"]["importKey"]>>;

const KEY_BYTES = 32;

/** Length of an ID in characters. 22 characters of base64url have 132 bits. */
const ID_LENGTH = 22;

const MAX_ATTEMPTS = 5;
