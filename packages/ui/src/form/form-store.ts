/**
 * @fileoverview State of a form: its value, texts that are not valid yet, selected variants, problems, and JSON text.
 * @module ui/form/form-store
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { toJsonText } from "../json/json-value.js";
import { describeForm, type FormOptions } from "./model/describe.js";
import type { Field, UnionField } from "./model/field.js";
import { isEqual, matchVariant } from "./model/fit.js";
import {
  getAt,
  isInside,
  moveItem,
  type Path,
  pathKey,
  type Problem,
  removeAt,
  renameMember,
  setAt,
} from "./model/path.js";
import { type ParsedText, parseJsonText } from "./model/text-values.js";
import { emptyValue, initialValue } from "./model/values.js";
import { countFields, MAX_FIELDS, ownerOf } from "./model/walk.js";

/** Text that the user has entered in a field for numbers or JSON. */
export interface Draft {
  readonly path: Path;
  readonly text: string;
  /** Reason why the text has no value, such as for `12a`. Absent for texts whose value is set. */
  readonly message: string | undefined;
}

/** Problem with the path of the field that shows it. */
export interface ShownProblem extends Problem {
  readonly owner: Path;
}

/** Union in a form. A variant of a union can be a union itself, with the same path. */
export interface ShownUnion {
  readonly field: UnionField;
  readonly path: Path;
  /** Number of unions around it that have the same path. */
  readonly nesting: number;
}

/** Chosen file. */
export interface ChosenFile {
  readonly name: string;
  readonly size: number;
}

/** Options of `FormStore`. */
export interface FormStoreOptions extends FormOptions {
  /** Value at the start. @default the defaults of the schema */
  readonly value?: unknown;
}

/** State of one form. The components of the form read its signals. */
export class FormStore {
  readonly field: Field;
  readonly #value = signal<unknown>(undefined);
  readonly #mode = signal<"form" | "json">("form");
  readonly #drafts = signal<ReadonlyMap<string, Draft>>(new Map());
  readonly #variants = signal<ReadonlyMap<string, number>>(new Map());
  readonly #files = signal<ReadonlyMap<string, ChosenFile>>(new Map());
  readonly #problems = signal<readonly Problem[]>([]);
  readonly #jsonText = signal("");
  readonly #jsonError = signal<string | undefined>(undefined);
  /** Values of variants that the user has left, so that coming back does not lose them. */
  readonly #left = new Map<string, ReadonlyMap<number, unknown>>();

  /** Value without members that are not set. Read it to call a tool or to validate. */
  readonly value: ReadonlySignal<unknown> = this.#value;
  readonly mode: ReadonlySignal<"form" | "json"> = this.#mode;
  readonly jsonText: ReadonlySignal<string> = this.#jsonText;
  /** Error in the JSON text. The value is that of the last valid text. */
  readonly jsonError: ReadonlySignal<string | undefined> = this.#jsonError;
  readonly drafts: ReadonlySignal<ReadonlyMap<string, Draft>> = this.#drafts;
  readonly files: ReadonlySignal<ReadonlyMap<string, ChosenFile>> = this.#files;

  /** True if the value has too many fields for a form, so only JSON is offered. */
  readonly isTooLarge: ReadonlySignal<boolean> = computed(
    () => countFields(this.#state(), MAX_FIELDS) > MAX_FIELDS,
  );

  /** Every problem, with the path of the field that shows it. Those of drafts come first. JSON mode has no drafts. */
  readonly problems: ReadonlySignal<readonly ShownProblem[]> = computed(() => [
    ...(this.#mode.value === "json" ? [] : [...this.#drafts.value.values()]).flatMap(({ path, message }) =>
      message === undefined ? [] : [{ path, message, owner: path }],
    ),
    ...this.#problems.value.map((problem) => ({ ...problem, owner: ownerOf(this.#state(), problem.path) })),
  ]);

  /** Messages by the key of the field that shows them. */
  readonly messages: ReadonlySignal<ReadonlyMap<string, readonly string[]>> = computed(() => {
    const messages = new Map<string, readonly string[]>();
    for (const { owner, path, message } of this.problems.value) {
      const key = pathKey(owner);
      const inner = path.slice(owner.length);
      const text = inner.length === 0 ? message : `${inner.join(".")}: ${message}`;
      messages.set(key, [...(messages.get(key) ?? []), text]);
    }
    return messages;
  });

  /** True if the user has entered a text that has no value. Do not send the value then. */
  readonly isIncomplete: ReadonlySignal<boolean> = computed(() =>
    this.#mode.value === "json"
      ? this.#jsonError.value !== undefined
      : [...this.#drafts.value.values()].some(({ message }) => message !== undefined),
  );

  constructor(schema: unknown, options: FormStoreOptions = {}) {
    this.field = describeForm(schema, options);
    this.reset(options.value);
  }

  /** Starts again with a value, or with the defaults. A value that is too large for a form is shown as JSON. */
  reset(value: unknown = emptyValue(this.field)): void {
    batch(() => {
      this.#clear([], "new-value");
      this.#problems.value = [];
      this.#value.value = value;
      this.#jsonError.value = undefined;
      this.#jsonText.value = toJsonText(value);
    });
    if (this.isTooLarge.peek()) this.showJson();
  }

  /** Sets the value at a path. */
  set(path: Path, value: unknown): void {
    this.#change(path, setAt(this.#value.peek(), path, value));
  }

  /** Removes the value at a path: a member is not set afterwards, and an element is deleted. */
  remove(path: Path): void {
    const isElement = typeof path.at(-1) === "number";
    // Elements after it have other paths afterwards, so the state of the whole list is discarded.
    const changed = isElement ? path.slice(0, -1) : path;
    this.#change(changed, removeAt(this.#value.peek(), path), isElement ? "edit" : "new-value");
  }

  /** Sets a value to the default of its field, or to an empty value. */
  include(path: Path, field: Field): void {
    this.#change(path, setAt(this.#value.peek(), path, emptyValue(field)), "new-value");
  }

  /** Adds an element at the end of an array. The state of the other elements stays as it is. */
  append(path: Path, value: unknown): void {
    const items = getAt(this.#value.peek(), path);
    const key = pathKey(path);
    batch(() => {
      this.#problems.value = this.#problems.peek().filter((problem) => pathKey(problem.path) !== key);
      this.#value.value = setAt(this.#value.peek(), path, [...(Array.isArray(items) ? items : []), value]);
    });
  }

  /** Moves an element of an array. */
  move(path: Path, from: number, to: number): void {
    this.#change(path, moveItem(this.#value.peek(), path, { from, to }));
  }

  /** Renames a member of a map. Returns false if another member has the name. */
  rename(path: Path, name: string): boolean {
    const parent = path.slice(0, -1);
    if (path.at(-1) === name) return true;
    if (getAt(this.#value.peek(), [...parent, name]) !== undefined) return false;
    this.#change(parent, renameMember(this.#value.peek(), path, name));
    return true;
  }

  /**
   * Sets the value of a text. The text itself is kept, so that `1.` does not become `1` while the user types. An empty
   * text removes a member. Another text without a value leaves the value as it is.
   */
  enterText(path: Path, text: string, parsed: ParsedText): void {
    batch(() => {
      if (parsed.ok) this.set(path, parsed.value);
      else if (text.trim() === "" && typeof path.at(-1) === "string") return this.remove(path);
      this.setDraft(path, { text, message: parsed.ok ? undefined : parsed.message });
    });
  }

  /** Keeps the text of a field. */
  setDraft(path: Path, draft: Omit<Draft, "path">): void {
    this.#drafts.value = new Map(this.#drafts.peek()).set(pathKey(path), { ...draft, path });
  }

  /** Returns the index of the selected variant of a union. */
  variantOf(union: ShownUnion): number {
    const value = getAt(this.#value.value, union.path);
    return this.#variants.value.get(unionKey(union.path, union.nesting)) ?? matchVariant(union.field, value);
  }

  /** Selects a variant of a union. The value of the variant that is left comes back if the user selects it again. */
  selectVariant(union: ShownUnion, index: number): void {
    const { path, nesting } = union;
    const variant = union.field.variants[index];
    if (variant === undefined) return;
    const key = unionKey(path, nesting);
    const left = new Map(this.#left.get(key));
    left.set(this.variantOf(union), getAt(this.#value.peek(), path));
    const next = left.has(index) ? left.get(index) : initialValue(variant.field());
    const isRemoved = next === undefined && typeof path.at(-1) !== "number";
    const root = this.#value.peek();
    batch(() => {
      this.#change(
        path,
        isRemoved ? removeAt(root, path) : setAt(root, path, next ?? emptyValue(variant.field())),
      );
      // Unions inside the variant that is left have the same path, but other variants.
      const isKept = (one: string) => !isInner(one, union);
      this.#variants.value = new Map(filterMap(this.#variants.peek(), isKept)).set(key, index);
      for (const one of this.#left.keys()) if (!isKept(one)) this.#left.delete(one);
      this.#left.set(key, left);
    });
  }

  /** Sets the content of a file. */
  setFile(path: Path, content: string, file: ChosenFile): void {
    batch(() => {
      this.set(path, content);
      this.#files.value = new Map(this.#files.peek()).set(pathKey(path), file);
    });
  }

  /** Replaces the problems that a validation has found. */
  setProblems(problems: readonly Problem[]): void {
    this.#problems.value = problems;
  }

  /** Shows the value as JSON. A text with an error is kept until it is corrected or discarded. */
  showJson(): void {
    batch(() => {
      this.#mode.value = "json";
      const parsed = parseJsonText(this.#jsonText.peek());
      const isCurrent = parsed.ok && isEqual(parsed.value, this.#value.peek());
      if (this.#jsonError.peek() === undefined && !isCurrent)
        this.#jsonText.value = toJsonText(this.#value.peek());
    });
  }

  /** Shows the form. It has the value of the last valid JSON text. */
  showForm(): void {
    if (!this.isTooLarge.peek()) this.#mode.value = "form";
  }

  /** Changes the JSON text. The value changes if the text is valid. */
  editJson(text: string): void {
    const parsed = parseJsonText(text);
    batch(() => {
      this.#jsonText.value = text;
      this.#jsonError.value = parsed.ok ? undefined : parsed.message;
      if (parsed.ok && !isEqual(parsed.value, this.#value.peek()))
        this.#change([], parsed.value, "new-value");
    });
  }

  /** Replaces a JSON text that has an error with the value. */
  discardJson(): void {
    batch(() => {
      this.#jsonError.value = undefined;
      this.#jsonText.value = toJsonText(this.#value.peek());
    });
  }

  #state() {
    const variants = this.#variants.value;
    return {
      field: this.field,
      value: this.#value.value,
      selected: (path: Path, nesting: number) => variants.get(unionKey(path, nesting)),
    };
  }

  /** Sets the root value, and discards what belongs to the old value at a path. */
  #change(path: Path, root: unknown, kind: ChangeKind = "edit"): void {
    batch(() => {
      this.#clear(path, kind);
      this.#value.value = root;
    });
  }

  /** Discards drafts, selections, files, and problems at a path and inside it. */
  #clear(path: Path, kind: ChangeKind): void {
    const parent = pathKey(path);
    const isKept = (key: string) => !isInside(key, parent);
    this.#drafts.value = filterMap(this.#drafts.peek(), isKept);
    this.#files.value = filterMap(this.#files.peek(), isKept);
    const isUnionKept = (key: string) =>
      isKept(pathOfUnion(key)) || (kind === "edit" && pathOfUnion(key) === parent);
    this.#variants.value = filterMap(this.#variants.peek(), isUnionKept);
    this.#problems.value = this.#problems.peek().filter((problem) => isKept(pathKey(problem.path)));
    for (const key of this.#left.keys()) if (!isUnionKept(key)) this.#left.delete(key);
  }
}

/** Kind of a change. A union at the path of an edit keeps its variant. A new value can have another variant. */
type ChangeKind = "edit" | "new-value";

/** Separates the path and the nesting of a union. Path keys never contain it, because they escape `~`. */
const NESTING = "~#";

function unionKey(path: Path, nesting: number): string {
  return `${pathKey(path)}${NESTING}${nesting}`;
}

function pathOfUnion(key: string): string {
  return key.slice(0, key.lastIndexOf(NESTING));
}

/** Returns true if a key is that of a union inside a variant of another one, with the same path. */
function isInner(key: string, { path, nesting }: ShownUnion): boolean {
  const own = pathKey(path);
  return pathOfUnion(key) === own && Number(key.slice(own.length + NESTING.length)) > nesting;
}

function filterMap<V>(map: ReadonlyMap<string, V>, isKept: (key: string) => boolean): ReadonlyMap<string, V> {
  const kept = [...map].filter(([key]) => isKept(key));
  return kept.length === map.size ? map : new Map(kept);
}
