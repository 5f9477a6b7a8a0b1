/**
 * @fileoverview Types for the subset of the `router` package that kit uses. The package does not include types.
 * @module kit/serving/router-package
 */
declare module "router" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** The Express 5 router. */
  interface PackageRouter {
    (request: IncomingMessage, response: ServerResponse, done: (error?: unknown) => void): void;
    readonly stack: readonly unknown[];
  }

  export default function createRouter(): PackageRouter;
}
