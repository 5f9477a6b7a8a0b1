/**
 * @fileoverview Rules for the hints of tools.
 * @module cli/doctor/rules/hints/rules
 */
import { toolRule } from "../../item-rule.js";
import { listNames, placeOf, show } from "../../facts/place.js";
import type { Problem, Rule } from "../../rule.js";
import type { JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";

/** Rules for the hints of tools, in the order of the documentation. */
export const HINT_RULES: readonly Rule[] = [
  // Reports tools with the hints for both read-only and destructive.
  toolRule({
    id: "hint-contradiction",
    severity: "warning",
    title: "Contradictory hints",
    find: ({ annotations }) =>
      annotations["readOnlyHint"] === true && annotations["destructiveHint"] === true,
    place: ({ place }) => placeOf(place, "annotations"),
    message:
      "The tool has `readOnlyHint: true` and `destructiveHint: true`. Clients show it as destructive, or run it without asking.",
    fix: "Set `destructiveHint: false` if the tool only reads. Otherwise, set `readOnlyHint: false`.",
  }),
  // Reports tools with `readOnlyHint: true` whose name says that they change or delete something.
  toolRule({
    id: "hint-read-only",
    severity: "warning",
    title: "Read-only hint on a tool that changes something",
    find: ({ name, annotations }) => {
      const found = annotations["readOnlyHint"] === true ? findVerb(name) : undefined;
      return found?.effect === "reads" ? undefined : found;
    },
    place: ({ place }) => placeOf(place, "annotations", "readOnlyHint"),
    message: (_, found) =>
      `The name contains ${show(found.verb)}, but the tool has \`readOnlyHint: true\`. Clients run read-only tools without asking the user.`,
    fix: "Set `readOnlyHint: false`, or rename the tool if it only reads.",
  }),
  // Reports tools with `destructiveHint: false` whose name says that they delete something.
  toolRule({
    id: "hint-destructive",
    severity: "warning",
    title: "Tool that deletes is not marked as destructive",
    find: ({ name, annotations }) => {
      const isAdding = annotations["destructiveHint"] === false && annotations["readOnlyHint"] !== true;
      const found = isAdding ? findVerb(name) : undefined;
      return found?.effect === "deletes" ? found : undefined;
    },
    place: ({ place }) => placeOf(place, "annotations", "destructiveHint"),
    message: (_, found) =>
      `The name contains ${show(found.verb)}, but the tool has \`destructiveHint: false\`, which means that it only adds.`,
    fix: "Set `destructiveHint: true`, so that clients ask the user first.",
  }),
  // Reports hints that clients ignore.
  {
    id: "hint-spelling",
    severity: "warning",
    title: "Hint that clients ignore",
    *check({ tools }) {
      for (const { raw, annotations, place } of tools) {
        yield* checkMembers(annotations, placeOf(place, "annotations"));
        for (const key of Object.keys(raw).filter((name) => hintFor(name) !== undefined)) {
          yield {
            place: placeOf(place, key),
            message: `${show(key)} is outside \`annotations\`, so clients ignore it.`,
            fix: `Move it to \`annotations.${hintFor(key) ?? key}\`.`,
          };
        }
      }
    },
  },
  // Reports tools without hints. One finding per server.
  {
    id: "hints-missing",
    severity: "info",
    title: "Tools without hints",
    *check({ tools, allowsAnnotations }) {
      if (!allowsAnnotations) return;
      const without = tools.filter(
        ({ annotations }) =>
          typeof annotations["readOnlyHint"] !== "boolean" &&
          typeof annotations["destructiveHint"] !== "boolean",
      );
      if (without.length === 0) return;
      const names = listNames(without.map(({ name }) => name));
      yield {
        place: "tools",
        message: `${without.length} of ${tools.length} tools ${without.length === 1 ? "has" : "have"} neither \`readOnlyHint\` nor \`destructiveHint\`: ${names}. Without hints, a tool counts as destructive, and many clients ask before every call.`,
        fix: "Set `annotations.readOnlyHint: true` for tools that only read, and `destructiveHint` for the others.",
      };
    },
  },
];

function* checkMembers(annotations: JsonObject, place: string): Iterable<Problem> {
  for (const [key, value] of Object.entries(annotations)) {
    const hint = hintFor(key);
    if (hint === undefined) continue;
    if (hint !== key) {
      yield {
        place: placeOf(place, key),
        message: `Clients do not know the annotation ${show(key)}.`,
        fix: `Rename it to \`${hint}\`.`,
      };
    } else if (typeof value !== "boolean") {
      yield {
        place: placeOf(place, key),
        message: `\`${hint}\` must be a boolean; got ${kindOf(value)}.`,
        fix: "Use `true` or `false`, without quotation marks.",
      };
    }
  }
}

const HINTS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["readonly", "readOnlyHint"],
  ["destructive", "destructiveHint"],
  ["idempotent", "idempotentHint"],
  ["openworld", "openWorldHint"],
]);

/** Returns the hint that a name means, such as `readOnlyHint` for `read_only`. */
function hintFor(name: string): string | undefined {
  return HINTS.get(
    name
      .toLowerCase()
      .replaceAll(/[^a-z]/g, "")
      .replace(/hint$/, ""),
  );
}

/** Returns the first verb in a name that says if the tool reads, changes, or deletes. */
function findVerb(
  name: string,
): { readonly verb: string; readonly effect: "reads" | "changes" | "deletes" } | undefined {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  for (const verb of words) {
    if (READING.has(verb)) return { verb, effect: "reads" };
    if (DELETING.has(verb)) return { verb, effect: "deletes" };
    if (CHANGING.has(verb)) return { verb, effect: "changes" };
  }
  return undefined;
}

const READING: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    "analyze can check compare count describe diff download estimate explain export fetch find generate " +
    "get inspect is list lookup plan preview query read report resolve search show simulate suggest " +
    "summarize validate verify view"
  ).split(" "),
);
/** Verbs that always mean a loss. Others, such as `remove`, also occur in tools that only compute something. */
const DELETING: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ "delete destroy erase purge uninstall".split(" "),
);
const CHANGING: ReadonlySet<string> = /* @__PURE__ */ new Set(["overwrite", "rename", "update", "upsert"]);
