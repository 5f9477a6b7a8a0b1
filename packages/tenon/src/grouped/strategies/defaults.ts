/**
 * @fileoverview The six strategies that build a grouped tool. Each is a pure function and can be replaced.
 * @module grouped/strategies/defaults
 */
import { aggregateAnnotations, type AnnotationAggregator } from "./annotation-aggregator.js";
import { type DescriptionGenerator, generateDescription } from "./description-generator.js";
import { compileMiddlewareChains, type MiddlewareCompiler } from "./middleware-compiler.js";
import { generateInputSchema, type SchemaGenerator } from "./schema-generator.js";
import { getActionRequiredFields, type RequiredFieldsReader } from "./schema-utils.js";
import { generateToonDescription, type ToonDescriptionGenerator } from "./toon-description-generator.js";

/** Functions that build a grouped tool from its actions. */
export interface Strategies {
  readonly inputSchema: SchemaGenerator;
  readonly description: DescriptionGenerator;
  readonly toonDescription: ToonDescriptionGenerator;
  readonly annotations: AnnotationAggregator;
  readonly middleware: MiddlewareCompiler;
  readonly requiredFields: RequiredFieldsReader;
}

/** Strategies that a builder uses unless `BuilderOptions` replaces them. */
export const DEFAULT_STRATEGIES: Strategies = /* @__PURE__ */ Object.freeze<Strategies>({
  inputSchema: generateInputSchema,
  description: generateDescription,
  toonDescription: generateToonDescription,
  annotations: aggregateAnnotations,
  middleware: compileMiddlewareChains,
  requiredFields: getActionRequiredFields,
});
