/**
 * @fileoverview What a grouped tool is to be, as its builder hands it to the compiler.
 * @module grouped/tool-plan
 */
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionFacts, ActionMiddleware, InternalAction } from "../actions/action.js";
import type { ExplicitAnnotations } from "../strategies/annotation-aggregator.js";
import type { Strategies } from "../strategies/defaults.js";
import type { ToonEncoder } from "../strategies/toon-description-generator.js";

/** What is declared of a grouped tool, without its code. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string | undefined;
  readonly actions: readonly ActionFacts[];
  readonly commonSchema: StandardSchema | undefined;
  readonly tags: readonly string[];
  readonly annotations: ExplicitAnnotations;
  readonly discriminator: string;
  readonly hasGroup: boolean;
  /** Writes the description's table, if it is to have one. */
  readonly toon: ToonEncoder | undefined;
  /** Whether fields that nobody declares are refused rather than dropped. */
  readonly strict: boolean;
  readonly strategies: Strategies;
}

/** A grouped tool before it is compiled. */
export interface ToolPlan<Context> extends ToolFacts {
  readonly actions: readonly InternalAction<Context>[];
  /** Around every action, whenever it was added. */
  readonly middleware: readonly ActionMiddleware<Context>[];
}
