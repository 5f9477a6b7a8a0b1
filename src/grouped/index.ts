/**
 * @fileoverview Grouped tools: the strategies that fold many actions into one tool. The builder on top of them follows.
 * @module grouped
 */
export type { ActionFacts, ActionHandler, ActionMiddleware, InternalAction } from "./action.js";
export {
  aggregateAnnotations,
  type AggregatedAnnotations,
  type AnnotationAggregator,
  type ExplicitAnnotations,
} from "./strategies/annotation-aggregator.js";
export {
  type DescriptionGenerator,
  type DescriptionInput,
  generateDescription,
  getGroupSummaries,
} from "./strategies/description-generator.js";
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
