/**
 * @fileoverview Rules that check a server's tools, prompts, schemas, or calls one by one.
 * @module cli/doctor/item-rule
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Facts } from "./facts/facts.js";
import type { SchemaNode } from "./facts/schema-nodes.js";
import type { Rule } from "./rule.js";

/** Rule with at most one problem per item. */
export interface ItemRule<Item, Found> extends Omit<Rule, "check"> {
  /** Finds the problem of an item. Returns `undefined` or `false` if it has none. */
  readonly find: (item: Item, facts: Facts) => Found | false | undefined;
  /** Place of the problem. @default the place of the item */
  readonly place?: (item: Item, found: Found) => string;
  readonly message: string | ((item: Item, found: Found) => string);
  readonly fix: string;
}

/** Creates a function that defines rules for the items of a server. */
export function rulesFor<Item extends { readonly place: string }>(itemsOf: (facts: Facts) => Iterable<Item>) {
  return <Found>(rule: ItemRule<Item, Found>): Rule => {
    const { find, place, message, fix, ...facts } = rule;
    return {
      ...facts,
      *check(server) {
        for (const item of itemsOf(server)) {
          const found = find(item, server);
          if (found === undefined || found === false) continue;
          yield {
            place: place?.(item, found) ?? item.place,
            message: typeof message === "string" ? message : message(item, found),
            fix,
          };
        }
      },
    };
  };
}

/** Defines a rule for every tool. */
export const toolRule = /* @__PURE__ */ rulesFor(({ tools }) => tools);

/** Defines a rule for every schema inside an input schema. */
export const inputRule = /* @__PURE__ */ rulesFor(({ tools }) =>
  tools.flatMap(({ inputNodes }) => objectsOf(inputNodes)),
);

/** Returns the schemas that are objects, not `true` or `false`. */
export function objectsOf(nodes: readonly SchemaNode[]) {
  return nodes.filter(
    (node): node is SchemaNode & { readonly schema: JsonObject } => typeof node.schema !== "boolean",
  );
}

/** Returns a list that has at least one element, or `undefined`. */
export function filled<T>(list: readonly T[]): readonly [T, ...T[]] | undefined {
  const [first, ...others] = list;
  return first === undefined ? undefined : [first, ...others];
}
