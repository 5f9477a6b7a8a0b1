/**
 * @fileoverview The six strategies that a grouped tool is built by. Each is a pure function, and each can be replaced.
 * @module grouped/strategies/defaults
 */
import { aggregateAnnotations, type AnnotationAggregator } from "./annotation-aggregator.js";
import { type DescriptionGenerator, generateDescription } from "./description-generator.js";
import { compileMiddlewareChains, type MiddlewareCompiler } from "./middleware-compiler.js";
import { generateInputSchema, type SchemaGenerator } from "./schema-generator.js";
import { getActionRequiredFields, type RequiredFieldsReader } from "./schema-utils.js";
import { generateToonDescription, type ToonDescriptionGenerator } from "./toon-description-generator.js";

/** How a grouped tool is made from its actions. */
export interface Strategies {
  readonly inputSchema: SchemaGenerator;
  readonly description: DescriptionGenerator;
  readonly toonDescription: ToonDescriptionGenerator;
  readonly annotations: AnnotationAggregator;
  readonly middleware: MiddlewareCompiler;
  readonly requiredFields: RequiredFieldsReader;
}

/** The strategies of a builder that names none. */
export const DEFAULT_STRATEGIES: Strategies = /* @__PURE__ */ Object.freeze<Strategies>({
  inputSchema: generateInputSchema,
  description: generateDescription,
  toonDescription: generateToonDescription,
  annotations: aggregateAnnotations,
  middleware: compileMiddlewareChains,
  requiredFields: getActionRequiredFields,
});
