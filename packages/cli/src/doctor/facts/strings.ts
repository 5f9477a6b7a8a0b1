/**
 * @fileoverview Lists every text in a server's definitions with its place.
 * @module cli/doctor/facts/strings
 */
import type { Facts } from "./facts.js";
import { placeOf } from "./place.js";

/** Text in a definition. */
export interface PlacedText {
  readonly text: string;
  readonly place: string;
  /** Key of the member that the text is the value of, or an element of. */
  readonly key: string;
  /** True if the text is the name of a member. */
  readonly isName: boolean;
}

/** Lists the texts in all definitions, in the server's name, and in its instructions, including names of members. */
export function* listTexts(facts: Facts): Iterable<PlacedText> {
  const { server, instructions } = facts;
  yield* textsIn(server, "server", "server");
  if (instructions !== undefined)
    yield { text: instructions, place: "instructions", key: "instructions", isName: false };
  for (const { raw, place } of [...facts.tools, ...facts.resources, ...facts.templates, ...facts.prompts]) {
    yield* textsIn(raw, place, "");
  }
}

interface Open {
  readonly value: unknown;
  readonly place: string;
  readonly key: string;
}

/** Lists the texts in a JSON value in reading order. Iterative, because the value comes from a server. */
export function* textsIn(root: unknown, rootPlace: string, rootKey: string): Iterable<PlacedText> {
  const open: Open[] = [{ value: root, place: rootPlace, key: rootKey }];
  while (open.length > 0) {
    const next = open.pop();
    if (next === undefined) return;
    const { value, place, key } = next;
    if (typeof value === "string") yield { text: value, place, key, isName: false };
    if (typeof value !== "object" || value === null) continue;
    const isList = Array.isArray(value);
    const children: Open[] = [];
    for (const [name, member] of Object.entries(value)) {
      const at = placeOf(place, isList ? Number(name) : name);
      if (!isList) yield { text: name, place: at, key, isName: true };
      children.push({ value: member, place: at, key: isList ? key : name });
    }
    for (const child of children.toReversed()) open.push(child);
  }
}
