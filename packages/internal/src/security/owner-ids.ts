/**
 * @fileoverview Opaque IDs for owners, so that a store can count what belongs to them without knowing principals and
 * addresses. They are keyed digests. The key is in the store, encrypted.
 * @module internal/security/owner-ids
 */
import { toBase64Url } from "../base64.js";
import type { Bytes } from "../bytes.js";
import type { Ports } from "../ports.js";
import { encodeUtf8 } from "../utf8.js";

/** Place of the key in a store that all nodes share. */
export interface OwnerKeyPlace {
  readonly ports: Pick<Ports, "randomBytes" | "subtle">;
  /** Encrypts and decrypts the key. `open` resolves with `undefined` if the key cannot be decrypted. */
  readonly sealer: {
    seal(text: string, place: string): Promise<string>;
    open(sealed: string, place: string): Promise<string | undefined>;
  };
  /** Name that the encrypted key is bound to. */
  readonly name: string;
  /** Converts the decrypted text. Returns `undefined` if it is not a key. */
  toKey(text: string): Bytes | undefined;
  /**
   * Stores an encrypted key if there is none, or if it is the given unreadable one. Resolves with the stored key, or
   * with `undefined` if another node has just changed it.
   */
  exchange(created: string, unreadable: string | undefined): Promise<string | undefined>;
}

/** Creates the IDs of owners. All nodes create the same ones. */
export class OwnerIds {
  readonly #place: OwnerKeyPlace;
  #key: Promise<HmacKey> | undefined;

  constructor(place: OwnerKeyPlace) {
    this.#place = place;
  }

  /** Returns the ID of an owner. */
  async of(owner: string): Promise<string> {
    this.#key ??= this.#loadKey().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    const digest = await this.#place.ports.subtle.sign("HMAC", await this.#key, encodeUtf8(owner));
    return toBase64Url(new Uint8Array(digest)).slice(0, ID_LENGTH);
  }

  /** Reads the key, or creates it. A key that cannot be decrypted any more is replaced. */
  async #loadKey(): Promise<HmacKey> {
    const { ports, sealer, name } = this.#place;
    const created = await sealer.seal(toBase64Url(ports.randomBytes(KEY_BYTES)), name);
    let unreadable: string | undefined;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = await this.#place.exchange(created, unreadable);
      const text = found && (await sealer.open(found, name));
      const key = text ? this.#place.toKey(text) : undefined;
      if (key) return ports.subtle.importKey("raw", key, HMAC, false, ["sign"]);
      unreadable = found;
    }
    throw new Error("The key for the IDs of owners changes too often.");
  }
}

type HmacKey = Awaited<ReturnType<Ports["subtle"]["importKey"]>>;

const HMAC = { name: "HMAC", hash: "SHA-256" };

const KEY_BYTES = 32;

/** Length of an ID in characters. 22 characters of base64url have 132 bits. */
const ID_LENGTH = 22;

const MAX_ATTEMPTS = 5;
