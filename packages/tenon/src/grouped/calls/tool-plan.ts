/**
 * @fileoverview Grouped tool declaration, as the builder passes it to the compiler.
 * @module tenon/grouped/calls/tool-plan
 */
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionFacts, ActionMiddleware, InternalAction } from "../actions/action.js";
import type { ExplicitAnnotations } from "../strategies/annotation-aggregator.js";
import type { Strategies } from "../strategies/defaults.js";
import type { ToonEncoder } from "../strategies/toon-description-generator.js";

/** Grouped tool declaration without handlers and middleware. */
export interface ToolFacts {
  readonly name: string;
  readonly description: string | undefined;
  readonly actions: readonly ActionFacts[];
  readonly commonSchema: StandardSchema | undefined;
  readonly tags: readonly string[];
  readonly annotations: ExplicitAnnotations;
  readonly discriminator: string;
  readonly hasGroup: boolean;
  /** Encoder for the TOON description. `undefined` selects the plain description. */
  readonly toon: ToonEncoder | undefined;
  /** True if undeclared fields are rejected instead of dropped. */
  readonly strict: boolean;
  readonly strategies: Strategies;
}

/** Grouped tool declaration with handlers and middleware, ready to be compiled. */
export interface ToolPlan<Context> extends ToolFacts {
  readonly actions: readonly InternalAction<Context>[];
  /** Middleware for every action. The first entry is outermost. */
  readonly middleware: readonly ActionMiddleware<Context>[];
}
