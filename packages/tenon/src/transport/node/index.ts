/**
 * @fileoverview `tenon/node`: servers on Node, and definitions from files.
 * @module tenon/node
 */
export type {
  Authenticated,
  AuthenticatedContext,
  Authorization,
  ContextAuthorization,
  ContextSource,
  RequestInfo,
} from "../http/authorization.js";
export type { HttpHeaders } from "../http/http-context.js";
export type { HttpOptions } from "../http/options.js";
export { loadResources, loadTools, NodeServer, NodeServerBuilder } from "./definition-files.js";
export type { Listening } from "./http-listener.js";
export type { ListenOptions } from "./listen-options.js";
export { listen } from "./listen.js";
export type { ContextOption, OptionsFor } from "../options-for.js";
export { type NodeHandler, toNodeHandler } from "./node-handler.js";
export type { Running } from "./run-http.js";
export { serve } from "./serve.js";
export type { ServeOptions, TransportConfig } from "./serve-options.js";
