/**
 * @fileoverview Reads from a tool's name if the tool changes or deletes something.
 * @module cli/doctor/rules/hints/verbs
 */

/** Returns the first verb in a name that says if the tool reads, changes, or deletes. */
export function findVerb(
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
