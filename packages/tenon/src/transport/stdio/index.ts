/**
 * @fileoverview `tenon/stdio`: a server on stdio, for those that speak nothing else.
 * @module tenon/stdio
 */
export { processStreams, type RunStdioOptions, serve, type Stoppable } from "./run-stdio.js";
export { serveStdio, type StdioOptions, type StdioTransport } from "./serve-stdio.js";
