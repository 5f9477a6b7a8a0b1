/**
 * @fileoverview Builder that `.group()` passes to its callback. It collects one group's actions and middleware.
 * @module tenon/grouped/actions/action-group-builder
 */
import { assertMiddleware, assertScopes } from "../../core/definitions/definition-checks.js";
import type { StandardSchema } from "../../schema/schema.js";
import type { ActionConfig, ActionMiddleware, InternalAction } from "./action.js";
import { joinScopes, toInternalAction } from "./internal-action.js";

/** Tool builder methods that group builders call. */
export interface GroupOwner<Context> {
  readonly add: (action: InternalAction<Context>) => void;
  readonly assertNotFrozen: () => void;
}

/** Adds actions and middleware to one group. The actions get keys such as `users.create`. */
export class ActionGroupBuilder<Context = unknown, Common = unknown> {
  readonly #name: string;
  readonly #description: string | undefined;
  readonly #owner: GroupOwner<Context>;
  readonly #middleware: ActionMiddleware<Context>[] = [];
  #scopes: readonly string[] = [];

  /** @internal Created by `GroupedToolBuilder.group`. */
  constructor(name: string, description: string | undefined, owner: GroupOwner<Context>) {
    this.#name = name;
    this.#description = description;
    this.#owner = owner;
  }

  /** Adds middleware for the actions added to this group after this call. Earlier actions are not affected. */
  use(...layers: readonly ActionMiddleware<Context>[]): this {
    this.#owner.assertNotFrozen();
    assertMiddleware(`Group "${this.#name}"`, layers);
    this.#middleware.push(...layers);
    return this;
  }

  /**
   * Requires scopes for the actions added to this group after this call, in addition to their own. Callers that lack
   * one of them do not see these actions.
   */
  scopes(...scopes: readonly string[]): this {
    this.#owner.assertNotFrozen();
    assertScopes(`Group "${this.#name}"`, scopes);
    this.#scopes = joinScopes(this.#scopes, scopes);
    return this;
  }

  /** Adds an action to this group. @throws if its name or handler is invalid, or its key is already registered */
  action<Own extends StandardSchema | undefined = undefined>(
    config: ActionConfig<Context, Own, Common>,
  ): this {
    this.#owner.assertNotFrozen();
    this.#owner.add(
      toInternalAction(config, {
        groupName: this.#name,
        groupDescription: this.#description,
        middleware: this.#middleware,
        scopes: this.#scopes,
      }),
    );
    return this;
  }
}
