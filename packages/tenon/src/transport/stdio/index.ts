/**
 * @fileoverview `tenon/stdio`: a server on stdio, without loading HTTP.
 * @module tenon/stdio
 */
export { serveStdio, type StdioOptions, type StdioTransport } from "./serve-stdio.js";
export type { Stoppable } from "./stop-on-signals.js";
