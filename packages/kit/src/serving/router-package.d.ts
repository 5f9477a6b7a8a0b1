/**
 * @fileoverview Types for the part of the `router` package that is used. The package has none of its own.
 * @module kit/serving/router-package
 */
declare module "router" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** Router of Express 5. */
  interface PackageRouter {
    (request: IncomingMessage, response: ServerResponse, done: (error?: unknown) => void): void;
    readonly stack: readonly unknown[];
  }

  export default function createRouter(): PackageRouter;
}
