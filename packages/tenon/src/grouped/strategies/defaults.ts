/**
 * @fileoverview The six strategies that build a grouped tool. Each is a pure function and can be replaced.
 * @module grouped/strategies/defaults
 */
import { defineOptions, type ParsedOptions, parseOptions } from "@tenon/internal/options/define-options";
import { callback } from "@tenon/internal/options/option-rows";
import { aggregateAnnotations, type AnnotationAggregator } from "./annotation-aggregator.js";
import { type DescriptionGenerator, generateDescription } from "./description-generator.js";
import { compileMiddlewareChains, type MiddlewareCompiler } from "./middleware-compiler.js";
import { generateInputSchema, type SchemaGenerator } from "./schema-generator.js";
import { getActionRequiredFields, type RequiredFieldsReader } from "./schema-utils.js";
import { generateToonDescription, type ToonDescriptionGenerator } from "./toon-description-generator.js";

/** Functions that build a grouped tool from its actions. */
export const STRATEGIES = /* @__PURE__ */ defineOptions("strategies", {
  inputSchema: callback<SchemaGenerator>({ default: generateInputSchema }),
  description: callback<DescriptionGenerator>({ default: generateDescription }),
  toonDescription: callback<ToonDescriptionGenerator>({ default: generateToonDescription }),
  annotations: callback<AnnotationAggregator>({ default: aggregateAnnotations }),
  middleware: callback<MiddlewareCompiler>({ default: compileMiddlewareChains }),
  requiredFields: callback<RequiredFieldsReader>({ default: getActionRequiredFields }),
});

/** Functions that build a grouped tool from its actions. */
export interface Strategies extends ParsedOptions<typeof STRATEGIES> {}

/** Strategies that a builder uses unless `BuilderOptions` replaces them. */
export const DEFAULT_STRATEGIES: Strategies = /* @__PURE__ */ Object.freeze(parseOptions(STRATEGIES, {}));
