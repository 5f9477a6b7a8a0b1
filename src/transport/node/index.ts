/**
 * @fileoverview `tenon/node`: what needs Node.
 * @module node
 */
export { loadResources, loadTools, NodeServerBuilder, Server } from "./definition-files.js";
