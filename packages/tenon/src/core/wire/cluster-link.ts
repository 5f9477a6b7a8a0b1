/**
 * @fileoverview Link from a server to the other nodes that serve it. A transport with a shared store creates it.
 * @module tenon/core/wire/cluster-link
 */
import type { ChangeLink } from "./changes.js";

/** Returns secrets that all nodes share. */
export type SecretSource = () => Promise<readonly (string | Uint8Array)[]>;

/** Encrypts and decrypts records. */
export interface RecordSealer {
  /** Encrypts a text. `place` names the record, and the same name is required to decrypt it. */
  seal(text: string, place: string): Promise<string>;
  /** Decrypts a text. Resolves with `undefined` if it was altered or belongs to a different place. */
  open(sealed: string, place: string): Promise<string | undefined>;
}

/** Link from a server to the other nodes. `publish` never throws. */
export interface ClusterLink extends ChangeLink {
  readonly secrets: SecretSource;
  /** Store behind the link. Extensions know the members that they need. */
  readonly store: object;
}
