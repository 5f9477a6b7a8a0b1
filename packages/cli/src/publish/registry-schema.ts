/**
 * @fileoverview Version of the registry's `server.json` format. Its date is independent of the protocol's revisions.
 * @module cli/publish/registry-schema
 */

/** URL of the current schema of `server.json`. */
export const SERVER_SCHEMA_URL =
  "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
