/**
 * @fileoverview The six strategies that build a grouped tool. Each is a pure function and can be replaced.
 * @module tenon/grouped/strategies/defaults
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
  /** Generates the schema of the tool from its actions. */
  inputSchema: callback<SchemaGenerator>({ default: generateInputSchema }),
  /** Generates the description of the tool. */
  description: callback<DescriptionGenerator>({ default: generateDescription }),
  /** Generates the description in TOON. */
  toonDescription: callback<ToonDescriptionGenerator>({ default: generateToonDescription }),
  /** Derives the hints of the tool from its actions. */
  annotations: callback<AnnotationAggregator>({ default: aggregateAnnotations }),
  /** Builds the chain of functions around each handler. */
  middleware: callback<MiddlewareCompiler>({ default: compileMiddlewareChains }),
  /** Finds the required fields of an action. */
  requiredFields: callback<RequiredFieldsReader>({ default: getActionRequiredFields }),
});

/** Functions that build a grouped tool from its actions. */
export interface Strategies extends ParsedOptions<typeof STRATEGIES> {}

/** Strategies that a builder uses unless `BuilderOptions` replaces them. */
export const DEFAULT_STRATEGIES: Strategies = /* @__PURE__ */ Object.freeze(parseOptions(STRATEGIES, {}));
