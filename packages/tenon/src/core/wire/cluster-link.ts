/**
 * @fileoverview Link from a server to the other nodes that serve it. A transport with a shared store creates it.
 * @module core/wire/cluster-link
 */
import type { ChangeLink } from "./changes.js";

/** Returns secrets that all nodes share. */
export type SecretSource = () => Promise<readonly (string | Uint8Array)[]>;

/** Link from a server to the other nodes. `publish` never throws. */
export interface ClusterLink extends ChangeLink {
  readonly secrets: SecretSource;
  /** Store behind the link. Extensions know the members that they need. */
  readonly store: object;
}
