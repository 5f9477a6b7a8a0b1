/**
 * @fileoverview `tenon/node`: serving on Node, and definitions from files.
 * @module node
 */
export type { Authenticated, Authorization, RequestInfo } from "../http/authorization.js";
export type { HttpOptions } from "../http/options.js";
export { loadResources, loadTools, NodeServerBuilder, Server } from "./definition-files.js";
export { listen, type Listening, type ListenOptions } from "./listen.js";
export { type NodeHandler, pipelineHandler, toNodeHandler } from "./node-handler.js";
export { type Running, serve, type ServeOptions, type TransportConfig } from "./serve.js";
