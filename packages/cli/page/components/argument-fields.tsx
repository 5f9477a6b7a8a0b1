/**
 * @fileoverview Fields for texts that the server can complete: arguments of prompts, and variables of resource templates.
 * @module cli/page-app/components/argument-fields
 */
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import { useApp } from "../app-context.js";
import type { Commands } from "../../src/page/protocol.js";
import { DRAFTS, findDraft, putDraft, toTexts } from "../state/forms/drafts.js";
import { toLabel } from "../state/text.js";
import { Combobox } from "./combobox.js";
import { useSetting } from "./hooks.js";

/** Texts by name. */
export type Texts = Readonly<Record<string, string>>;

/** Returns the texts that the user has entered for an entry, and a function that changes one. */
export function useTexts(key: string): {
  readonly texts: Texts;
  readonly setText: (name: string, text: string) => void;
} {
  const drafts = useSetting(DRAFTS);
  const texts = toTexts(findDraft(drafts.value, key)) ?? {};
  return {
    texts,
    setText(name, text) {
      drafts.value = putDraft(drafts.value, key, { ...texts, [name]: text });
    },
  };
}

/** Field for one text. */
export interface ArgumentField {
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
}

/** Properties of `ArgumentFields`. */
export interface ArgumentFieldsProps {
  readonly fields: readonly ArgumentField[];
  readonly texts: Texts;
  readonly setText: (name: string, text: string) => void;
  /** Prompt or template that the server completes. */
  readonly reference: Commands["complete"][0]["ref"];
  /** Names of required fields that are empty, after the first attempt. */
  readonly missing: ReadonlySet<string>;
}

/** Fields with suggestions, if the server offers them. */
export function ArgumentFields({ fields, texts, setText, reference, missing }: ArgumentFieldsProps) {
  const { catalog, commands, era } = useApp();
  const hasCompletions = catalog.hasCapability("completions");
  const complete = async (argument: string, value: string) => {
    const known = Object.fromEntries(
      Object.entries(texts).filter(([name, text]) => name !== argument && text !== ""),
    );
    try {
      return await commands.run("complete", { ref: reference, argument, value, known, era: era.peek() });
    } catch {
      // The field works without suggestions.
      return undefined;
    }
  };
  return (
    <div class="p-fields">
      {fields.map(({ name, description, isRequired }) => {
        const shared = {
          label: toLabel(name),
          description:
            description === undefined || description === "" ? undefined : toLabel(description, 500),
          isRequired,
          error: missing.has(name) ? "A value is required." : undefined,
          value: texts[name] ?? "",
          onInput: (text: string) => setText(name, text),
        };
        return hasCompletions ? (
          <Combobox key={name} {...shared} complete={(value) => complete(name, value)} />
        ) : (
          <TextField key={name} {...shared} />
        );
      })}
    </div>
  );
}

/** Returns the names of required fields without a text. */
export function findMissing(fields: readonly ArgumentField[], texts: Texts): ReadonlySet<string> {
  return new Set(
    fields.filter(({ name, isRequired }) => isRequired && (texts[name] ?? "") === "").map(({ name }) => name),
  );
}
