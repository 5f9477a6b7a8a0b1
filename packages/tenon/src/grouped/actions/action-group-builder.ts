/**
 * @fileoverview The builder that `.group()` passes to its callback: actions of one group and their middleware.
 * @module grouped/action-group-builder
 */
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionConfig, ActionMiddleware, InternalAction } from "./action.js";
import { assertMiddleware, toInternalAction } from "./internal-action.js";

/** The part of a builder that its groups use. */
export interface GroupOwner<Context> {
  readonly add: (action: InternalAction<Context>) => void;
  readonly assertNotFrozen: () => void;
}

/** Adds actions to one group. */
export class ActionGroupBuilder<Context = unknown, Common = unknown> {
  readonly #name: string;
  readonly #description: string | undefined;
  readonly #owner: GroupOwner<Context>;
  readonly #middleware: ActionMiddleware<Context>[] = [];

  /** @internal created by `GroupedToolBuilder.group` */
  constructor(name: string, description: string | undefined, owner: GroupOwner<Context>) {
    this.#name = name;
    this.#description = description;
    this.#owner = owner;
  }

  /** Adds middleware around the actions that are added to this group afterwards. */
  use(...layers: readonly ActionMiddleware<Context>[]): this {
    this.#owner.assertNotFrozen();
    assertMiddleware(layers);
    this.#middleware.push(...layers);
    return this;
  }

  /** Adds an action to this group. */
  action<Own extends StandardSchema | undefined = undefined>(
    config: ActionConfig<Context, Own, Common>,
  ): this {
    this.#owner.assertNotFrozen();
    this.#owner.add(
      toInternalAction(config, {
        groupName: this.#name,
        groupDescription: this.#description,
        middleware: this.#middleware,
      }),
    );
    return this;
  }
}
