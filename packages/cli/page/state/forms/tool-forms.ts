/**
 * @fileoverview Forms of the tools. A form keeps its value when the user selects another tool, and when a reload of the code
 * changes the schema.
 * @module cli/page-app/state/forms/tool-forms
 */
import { effect, type Signal } from "@preact/signals";
import { isJsonObject } from "@tenon/internal/json";
import { FormStore } from "@tenon/ui/form/form-store.js";
import { toJsonText } from "@tenon/ui/json/json-value.js";
import type { ToolItem } from "../tools/tool-item.js";
import { type Drafts, findDraft, putDraft } from "./drafts.js";

interface Entry {
  readonly store: FormStore;
  readonly schema: unknown;
  readonly schemaText: string;
  /** Value before the user has changed it, as text. */
  readonly initialText: string;
  readonly stop: () => void;
}

const MAX_FORMS = 40;

/** Forms by the key of their tool. */
export class ToolForms {
  readonly #drafts: Signal<Drafts>;
  readonly #entries = new Map<string, Entry>();

  constructor(drafts: Signal<Drafts>) {
    this.#drafts = drafts;
  }

  /** Returns the form of a tool. */
  get({ key, schema }: Pick<ToolItem, "key" | "schema">): FormStore {
    const known = this.#entries.get(key);
    // The server can send the same schema again as another object.
    const schemaText = known?.schema === schema ? known?.schemaText : toJsonText(schema);
    if (known === undefined || known.schemaText !== schemaText)
      return this.#create(key, { schema, schemaText: schemaText ?? "", known });
    this.#put(key, { ...known, schema });
    return known.store;
  }

  #create(
    key: string,
    {
      schema,
      schemaText,
      known,
    }: Pick<Entry, "schema" | "schemaText"> & { readonly known: Entry | undefined },
  ): FormStore {
    const store = new FormStore(closeEmpty(schema));
    const initialText = toJsonText(store.value.peek());
    const draft = known === undefined ? findDraft(this.#drafts.peek(), key) : changedValue(known);
    if (draft !== undefined) store.reset(draft);
    if (known?.store.mode.peek() === "json") store.showJson();
    known?.stop();
    const stop = this.#remember(key, store, initialText);
    this.#put(key, { store, schema, schemaText, initialText, stop });
    return store;
  }

  /** Stores a form as the last used one. Drops the one that was not used for the longest time. */
  #put(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const [oldest] = this.#entries;
    if (this.#entries.size <= MAX_FORMS || oldest === undefined) return;
    oldest[1].stop();
    this.#entries.delete(oldest[0]);
  }

  /** Stores the changes of a form as a draft. */
  #remember(key: string, store: FormStore, initialText: string): () => void {
    let isFirst = true;
    return effect(() => {
      const value = store.value.value;
      if (!isFirst) {
        const isInitial = toJsonText(value) === initialText;
        this.#drafts.value = putDraft(this.#drafts.peek(), key, isInitial ? undefined : value);
      }
      isFirst = false;
    });
  }
}

function changedValue({ store, initialText }: Entry): unknown {
  const value = store.value.peek();
  return toJsonText(value) === initialText ? undefined : value;
}

const NO_ARGUMENTS: ReadonlySet<string> = new Set(["type", "$schema", "properties", "title", "description"]);

/** Closes the schema of a tool that describes no arguments. An open one would have a field for any JSON. */
function closeEmpty(schema: unknown): unknown {
  if (!isJsonObject(schema) || schema["type"] !== "object") return schema;
  const isEmpty =
    Object.keys(schema).every((name) => NO_ARGUMENTS.has(name)) &&
    (schema["properties"] === undefined || toJsonText(schema["properties"]) === "{}");
  return isEmpty ? { ...schema, additionalProperties: false } : schema;
}
