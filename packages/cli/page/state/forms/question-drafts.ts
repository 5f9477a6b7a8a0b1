/**
 * @fileoverview Unfinished answers to questions of the server. The panel and the list of questions show the same answers.
 * @module cli/page-app/state/forms/question-drafts
 */
import { type Signal, signal } from "@preact/signals";
import { isJsonObject } from "@tenon/internal/json";
import { FormStore } from "@tenon/ui/form/form-store.js";
import type { Question } from "../../../src/page/protocol.js";
import type { Setting } from "../memory.js";
import { readText } from "../text.js";

/** Root that the user lists. */
export interface RootDraft {
  readonly uri: string;
  readonly name: string;
}

/** Unfinished answer. */
export type QuestionDraft =
  | { readonly kind: "form"; readonly form: FormStore }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "sampling"; readonly text: Signal<string>; readonly model: Signal<string> }
  | { readonly kind: "roots"; readonly roots: Signal<readonly RootDraft[]> };

/** Roots that the user has listed last. */
export const ROOTS: Setting<readonly RootDraft[]> = {
  key: "roots",
  initial: [],
  parse: (value) =>
    Array.isArray(value)
      ? value
          .slice(0, 100)
          .flatMap((one: unknown) =>
            isJsonObject(one) ? [{ uri: readText(one, "uri") ?? "", name: readText(one, "name") ?? "" }] : [],
          )
      : undefined,
};

/** Unfinished answers by the ID of their question. */
export class QuestionDrafts {
  readonly #roots: Signal<readonly RootDraft[]>;
  readonly #drafts = new Map<string, QuestionDraft>();

  constructor(roots: Signal<readonly RootDraft[]>) {
    this.#roots = roots;
  }

  /** Returns the unfinished answer to a question. */
  get(question: Question): QuestionDraft {
    const known = this.#drafts.get(question.id);
    const draft = known ?? this.#create(question);
    if (known === undefined) this.#drafts.set(question.id, draft);
    return draft;
  }

  /** Forgets answers to questions that are closed. */
  keepOnly(open: ReadonlyMap<string, Question>): void {
    for (const id of this.#drafts.keys()) if (!open.has(id)) this.#drafts.delete(id);
  }

  #create({ method, params }: Question): QuestionDraft {
    if (method === "roots/list") return { kind: "roots", roots: this.#roots };
    if (method === "sampling/createMessage")
      return { kind: "sampling", text: signal(""), model: signal("written-by-hand") };
    if (params["mode"] === "url") return { kind: "url", url: readText(params, "url") ?? "" };
    return { kind: "form", form: new FormStore(params["requestedSchema"] ?? { type: "object" }) };
  }
}
