/**
 * @fileoverview Encrypts records that a store keeps for the server. The store is not trusted: a record that was altered,
 * or moved to a different key, cannot be decrypted.
 * @module tenon/core/call/record-sealer
 */
import { decodeUtf8, encodeUtf8 } from "@tenon/internal/utf8";
import type { RecordSealer } from "../wire/cluster-link.js";
import type { KeyRing } from "./key-ring.js";

/** Creates a sealer for records. */
export function createRecordSealer(ring: KeyRing): RecordSealer {
  return {
    seal: (text, place) => ring.seal(encodeUtf8(text), toBinding(place)),
    async open(sealed, place) {
      const plain = await ring.open(sealed, toBinding(place));
      return plain && decodeUtf8(plain);
    },
  };
}

/** Keeps records apart from the state of calls, whose binding is a JSON array. */
function toBinding(place: string): ReturnType<typeof encodeUtf8> {
  return encodeUtf8(`record ${place}`);
}
