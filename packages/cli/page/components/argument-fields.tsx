/**
 * @fileoverview Fields for texts that the server can complete: arguments of prompts, and variables of resource templates.
 * @module cli/page-app/components/argument-fields
 */
import { TextField } from "@tenon/ui/components/fields/text-field.js";
import { useState } from "preact/hooks";
import { useApp } from "../app-context.js";
import type { Commands } from "../../src/page/protocol.js";
import { DRAFTS, findDraft, putDraft, toTexts } from "../state/forms/drafts.js";
import { toLabel } from "../state/text.js";
import { Combobox } from "./combobox.js";
import { useSetting } from "./hooks.js";

/** Field for one text. */
export interface ArgumentField {
  readonly name: string;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
}

/** Texts by name. */
export type Texts = Readonly<Record<string, string>>;

/** Returns the texts that the user has entered for the fields of an entry, and functions that use them. */
export function useArguments(key: string, fields: readonly ArgumentField[]) {
  const drafts = useSetting(DRAFTS);
  const [isTried, setIsTried] = useState(false);
  const texts: Texts = toTexts(findDraft(drafts.value, key)) ?? {};
  const isEmpty = (name: string) => (texts[name] ?? "") === "";
  const missing = fields
    .filter(({ name, isRequired }) => isRequired && isEmpty(name))
    .map(({ name }) => name);
  return {
    fields,
    texts,
    setText: (name: string, text: string) => {
      drafts.value = putDraft(drafts.value, key, { ...texts, [name]: text });
    },
    /** Texts of the fields that are not empty. */
    values: Object.fromEntries(
      fields.filter(({ name }) => !isEmpty(name)).map(({ name }) => [name, texts[name] ?? ""]),
    ),
    /** Names of required fields that are empty, after the first attempt. */
    missing: isTried ? missing : [],
    isComplete: missing.length === 0,
    /** Runs an action if all required fields have a text. */
    attempt: (run: () => void) => {
      setIsTried(true);
      if (missing.length === 0) run();
    },
  };
}

/** Properties of `ArgumentFields`. */
export interface ArgumentFieldsProps extends Pick<
  ReturnType<typeof useArguments>,
  "fields" | "texts" | "setText" | "missing"
> {
  /** Prompt or template that the server completes. */
  readonly reference: Commands["complete"][0]["ref"];
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
          error: missing.includes(name) ? "A value is required." : undefined,
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
