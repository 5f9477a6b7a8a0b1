/**
 * @fileoverview `tenon/node`: servers on Node, and definitions from files.
 * @module tenon/transport/node
 */
export { loadResources, loadTools, NodeServer, type NodeServerBuilder } from "./definition-files.js";
export type { Listening } from "./http-listener.js";
export type { ListenOptions } from "./listen-options.js";
export { listen } from "./listen.js";
export { type NodeHandler, toNodeHandler } from "./node-handler.js";
export type { Running } from "./run-http.js";
export { serve } from "./serve.js";
export type { ServeOptions, TransportConfig } from "./serve-options.js";
