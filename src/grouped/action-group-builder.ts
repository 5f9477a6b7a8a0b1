/**
 * @fileoverview The inside of `.group()`: the actions of one group, and the middleware around them.
 * @module grouped/action-group-builder
 */
import type { StandardSchema } from "../schema/schema.js";
import type { ActionConfig, ActionMiddleware, InternalAction } from "./action.js";
import { toInternalAction } from "./internal-action.js";

/** Fills one group. */
export class ActionGroupBuilder<Context = unknown, Common = unknown> {
  readonly #name: string;
  readonly #description: string | undefined;
  readonly #add: (action: InternalAction<Context>) => void;
  readonly #middleware: ActionMiddleware<Context>[] = [];

  /** @internal made by `GroupedToolBuilder.group` */
  constructor(name: string, description: string | undefined, add: (action: InternalAction<Context>) => void) {
    this.#name = name;
    this.#description = description;
    this.#add = add;
  }

  /** Puts layers around the actions of this group that follow; those before stay as they are. */
  use(...layers: readonly ActionMiddleware<Context>[]): this {
    this.#middleware.push(...layers);
    return this;
  }

  /** Adds an action to this group. */
  action<Own extends StandardSchema | undefined = undefined>(
    config: ActionConfig<Context, Own, Common>,
  ): this {
    this.#add(
      toInternalAction(config, {
        groupName: this.#name,
        groupDescription: this.#description,
        middleware: this.#middleware,
      }),
    );
    return this;
  }
}
