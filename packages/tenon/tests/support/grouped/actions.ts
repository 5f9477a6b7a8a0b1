import * as fc from "fast-check";
import type { InternalAction } from "../../../src/grouped/actions/action.js";
import type { ToonEncoder } from "../../../src/grouped/strategies/toon-description-generator.js";
import type { JsonObject } from "@tenon/internal/json";
import { createToonEncoder } from "../../../src/grouped/toon.js";
import type { StandardSchema } from "../../../src/schema/schema.js";

/** Creates an action from the given definition. `users.create` belongs to the group `users`. */
export function mockAction(key: string, facts: Partial<InternalAction> = {}): InternalAction {
  const dot = key.indexOf(".");
  return {
    key,
    actionName: key.slice(dot + 1),
    ...(dot === -1 ? {} : { groupName: key.slice(0, dot) }),
    destructive: false,
    idempotent: false,
    readOnly: false,
    handler: () => ({ content: [] }),
    middleware: [],
    ...facts,
  };
}

/** Creates a schema without validation that returns its JSON Schema. It is plain data, so it can be deeply frozen. */
export function plainSchema(jsonSchema: JsonObject): StandardSchema {
  const convert = () => jsonSchema;
  return {
    "~standard": {
      version: 1,
      vendor: "plain",
      validate: (value) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  };
}

/** Creates an object schema with string fields. A name that ends in `?` is optional. */
export function fields(...names: string[]): StandardSchema {
  return plainSchema({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), { type: "string" }])),
    required: names.filter((name) => !name.endsWith("?")),
  });
}

/** Freezes data deeply, except functions. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

/** A generated action's declaration: its fields, and which of them are required. */
export interface ActionPlan {
  readonly name: string;
  readonly group: string;
  readonly fields: Readonly<Record<string, boolean>> | undefined;
  readonly described: string;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly readOnly: boolean;
}

const fieldName = fc.constantFrom("id", "email", "limit", "__proto__", "constructor", "a/b", "π");
/** `fc.dictionary` omits `__proto__`, which is a valid field name. */
export const fieldPlan = fc
  .uniqueArray(fc.tuple(fieldName, fc.boolean()), { selector: ([name]) => name })
  .map((entries) => Object.fromEntries(entries));
const simpleName = fc.stringMatching(/^[a-z_-]{1,6}$/);
const actionPlan: fc.Arbitrary<ActionPlan> = fc.record({
  name: simpleName,
  group: fc.constantFrom("users", "billing", "x"),
  fields: fc.option(fieldPlan, { nil: undefined }),
  described: fc.constantFrom("", "Does it", "Does it.", "a | b"),
  destructive: fc.boolean(),
  idempotent: fc.boolean(),
  readOnly: fc.boolean(),
});

/** Tools with any number of actions, flat or grouped. */
export const toolPlan = fc.record({
  hasGroup: fc.boolean(),
  plans: fc.uniqueArray(actionPlan, { selector: ({ name, group }) => `${group}.${name}`, maxLength: 8 }),
});

/** Creates a plan's actions. A flat tool receives only the first action with each name. */
export function toActions({ hasGroup, plans }: { hasGroup: boolean; plans: readonly ActionPlan[] }) {
  const unique = plans.filter(
    ({ name }, index) => hasGroup || plans.findIndex((plan) => plan.name === name) === index,
  );
  return unique.map((plan) => {
    const { name, group, destructive, idempotent, readOnly, described } = plan;
    const schema =
      plan.fields && fields(...Object.entries(plan.fields).map(([k, must]) => (must ? k : `${k}?`)));
    const action = mockAction(hasGroup ? `${group}.${name}` : name, {
      description: described,
      destructive,
      idempotent,
      readOnly,
      schema,
    });
    return { action, plan };
  });
}

/** The encoder that grouped tools use. */
export const toon: ToonEncoder = createToonEncoder();
