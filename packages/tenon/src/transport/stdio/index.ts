/**
 * @fileoverview `tenon/stdio`: stdio transport that does not load HTTP.
 * @module tenon/transport/stdio
 */
export { serveStdio, type StdioTransport } from "./serve-stdio.js";
export type { StdioOptions } from "./stdio-options.js";
