/**
 * @fileoverview `tenon/grouped`: exposes many operations as one tool, compiled at build time.
 * @module tenon/grouped
 */
export type {
  ActionArgs,
  ActionConfig,
  ActionFacts,
  ActionHandler,
  ActionMetadata,
  ActionMiddleware,
  ActionTask,
  ActionTaskOptions,
  InternalAction,
} from "./actions/action.js";
export { ActionGroupBuilder } from "./actions/action-group-builder.js";
export type { AttachOptions, DetachFn, GroupedTool } from "./server/attach.js";
export type { McpServerLike } from "./server/sdk-server.js";
export { type BuilderOptions, createTool, GroupedToolBuilder } from "./builder.js";
export type { CallableTool } from "./calls/callable-tools.js";
export type { PreviewOptions } from "./preview.js";
export { ToolRegistry } from "./server/registry.js";
export { error, required, success } from "./responses.js";
export {
  aggregateAnnotations,
  type AggregatedAnnotations,
  type AnnotationAggregator,
  type ExplicitAnnotations,
} from "./strategies/annotation-aggregator.js";
export { DEFAULT_STRATEGIES, type Strategies } from "./strategies/defaults.js";
export {
  type DescriptionGenerator,
  type DescriptionInput,
  generateDescription,
  getGroupSummaries,
} from "./strategies/description-generator.js";
export type { FieldMarks } from "./strategies/field-marks.js";
export {
  type ChainFn,
  compileMiddlewareChains,
  type MiddlewareCompiler,
} from "./strategies/middleware-compiler.js";
export {
  generateInputSchema,
  type SchemaGenerator,
  type SchemaInput,
} from "./strategies/schema-generator.js";
export { getActionRequiredFields, type RequiredFieldsReader } from "./strategies/schema-utils.js";
export {
  type ActionRow,
  generateToonDescription,
  type ToonDescriptionGenerator,
  type ToonEncoder,
} from "./strategies/toon-description-generator.js";
export { type ToonOptions, toonSuccess } from "./toon.js";
