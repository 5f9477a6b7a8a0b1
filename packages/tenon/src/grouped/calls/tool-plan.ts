/**
 * @fileoverview The declaration of a grouped tool, as its builder passes it to the compiler.
 * @module grouped/tool-plan
 */
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionFacts, ActionMiddleware, InternalAction } from "../actions/action.js";
import type { ExplicitAnnotations } from "../strategies/annotation-aggregator.js";
import type { Strategies } from "../strategies/defaults.js";
import type { ToonEncoder } from "../strategies/toon-description-generator.js";

/** Declaration of a grouped tool, without its code. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string | undefined;
  readonly actions: readonly ActionFacts[];
  readonly commonSchema: StandardSchema | undefined;
  readonly tags: readonly string[];
  readonly annotations: ExplicitAnnotations;
  readonly discriminator: string;
  readonly hasGroup: boolean;
  /** Encodes the table of the description, if there is one. */
  readonly toon: ToonEncoder | undefined;
  /** True if undeclared fields are rejected instead of dropped. */
  readonly strict: boolean;
  readonly strategies: Strategies;
}

/** A grouped tool before it is compiled. */
export interface ToolPlan<Context> extends ToolFacts {
  readonly actions: readonly InternalAction<Context>[];
  /** Middleware around every action. */
  readonly middleware: readonly ActionMiddleware<Context>[];
}
