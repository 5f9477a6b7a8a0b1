/**
 * @fileoverview `tenon/grouped`: exposes many operations as one tool, compiled at build time.
 * @module tenon/grouped
 */
export type { ActionConfig, ActionMetadata, ActionMiddleware, InternalAction } from "./actions/action.js";
export type { ActionGroupBuilder } from "./actions/action-group-builder.js";
export type { DetachFn, GroupedTool } from "./server/attach.js";
export type { McpServerLike } from "./server/sdk-server.js";
export { type BuilderOptions, createTool, GroupedToolBuilder } from "./builder.js";
export type { CallableTool } from "./calls/callable-tools.js";
export { ToolRegistry } from "./server/registry.js";
export { error, required, success } from "./responses.js";
export { DEFAULT_STRATEGIES, type Strategies } from "./strategies/defaults.js";
export { type ChainFn } from "./strategies/middleware-compiler.js";
export { type ActionRow } from "./strategies/toon-description-generator.js";
export { toonSuccess } from "./toon.js";
