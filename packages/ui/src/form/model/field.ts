/**
 * @fileoverview Fields of a form. Fields of containers describe their members on demand, because schemas can be
 * recursive.
 * @module ui/form/model/field
 */

/** Field that is described when it is first needed. */
export type LazyField = () => Field;

/** Facts that every field has. */
export interface FieldFacts {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Default value. `undefined` if there is none. */
  readonly defaultValue: unknown;
  /** First example, as text. */
  readonly example: string | undefined;
  /** True if the value may be null. */
  readonly isNullable: boolean;
  readonly isDeprecated: boolean;
  /** Constraints for people, such as "at most 20 characters". */
  readonly hints: readonly string[];
}

/** Format that has its own input. */
export type TextFormat = "date" | "date-time" | "time" | "email" | "uri" | "color" | "password";

/** Field for a string. */
export interface TextField extends FieldFacts {
  readonly kind: "text";
  readonly format: TextFormat | undefined;
  readonly isMultiline: boolean;
}

/** Field for a number. */
export interface NumberField extends FieldFacts {
  readonly kind: "number";
  readonly isInteger: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Field for true or false. */
export interface BooleanField extends FieldFacts {
  readonly kind: "boolean";
}

/** Value that the user can select. */
export interface ChoiceOption {
  readonly value: unknown;
  readonly label: string;
}

/** Field for one of several values. */
export interface ChoiceField extends FieldFacts {
  readonly kind: "choice";
  readonly options: readonly ChoiceOption[];
}

/** Field for an array of different values from a list. */
export interface ChoicesField extends Omit<ChoiceField, "kind"> {
  readonly kind: "choices";
}

/** Field with only one possible value. */
export interface ConstField extends FieldFacts {
  readonly kind: "const";
  readonly value: unknown;
}

/** Member of an object. */
export interface PropertyField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: LazyField;
}

/** Members of an object whose names are not fixed. */
export interface ExtraFields {
  readonly field: LazyField;
  /** Names that are allowed. Absent if every name is. */
  readonly names: readonly string[] | undefined;
}

/** Field for an object. A map has only extra members. */
export interface ObjectField extends FieldFacts {
  readonly kind: "object";
  readonly properties: readonly PropertyField[];
  readonly extras: ExtraFields | undefined;
}

/** Field for an array. */
export interface ListField extends FieldFacts {
  readonly kind: "list";
  /** Elements with fixed positions. */
  readonly fixed: readonly LazyField[];
  /** Other elements. Absent if there are none. */
  readonly item: LazyField | undefined;
  readonly minItems: number;
  readonly maxItems: number | undefined;
}

/** One of several schemas. */
export interface Variant {
  readonly label: string;
  readonly field: LazyField;
}

/** Field for a value that has one of several schemas. */
export interface UnionField extends FieldFacts {
  readonly kind: "union";
  readonly variants: readonly Variant[];
}

/** Field for a file. */
export interface FileField extends FieldFacts {
  readonly kind: "file";
  /** Form of the value. */
  readonly encoding: "base64" | "data-url";
  /** Media type of the file, as the `accept` attribute of an input. */
  readonly mediaType: string | undefined;
  /** Maximum size of the file in bytes. */
  readonly maxBytes: number;
}

/** Field for a value without a usable schema, edited as JSON. */
export interface JsonField extends FieldFacts {
  readonly kind: "json";
  /** Value of a new field. */
  readonly emptyValue: unknown;
  /** Reason why there is no better field. Absent if the schema allows any value. */
  readonly reason: string | undefined;
}

/** Field of a form. */
export type Field =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ChoicesField
  | ConstField
  | ObjectField
  | ListField
  | UnionField
  | FileField
  | JsonField;

/** Returns a function that describes a field once. */
export function lazily(describe: () => Field): LazyField {
  let field: Field | undefined;
  return () => (field ??= describe());
}
