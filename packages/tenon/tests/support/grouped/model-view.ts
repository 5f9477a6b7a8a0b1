/**
 * @fileoverview Reads a grouped tool as a model does: from its description and input schema alone. Returns everything
 * that a model can know about each action.
 * @module tests/support/grouped/model-view
 */
import { decode } from "@toon-format/toon";
import type { JsonObject } from "@tenon/internal/json";

/** An action's field, as a model sees it. */
export interface SeenField {
  readonly required: boolean;
  /** JSON type, such as `string`, `array of string`, or `null|string`. */
  readonly type: string;
  readonly format: string | undefined;
  /** Sorted enum values, as JSON. */
  readonly values: readonly string[];
}

/** Action, as a model sees it. */
export interface SeenAction {
  readonly destructive: boolean;
  readonly fields: Readonly<Record<string, SeenField>>;
}

/** Tool definition in the form that a client receives. */
export interface ShownTool {
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
}

/** Reads every action of a tool from its description and input schema. */
export function readModelView({ description = "", inputSchema }: ShownTool): ReadonlyMap<string, SeenAction> {
  const properties = inputSchema["properties"] as Readonly<Record<string, JsonObject>>;
  const [discriminator = ""] = Object.keys(properties); // the first field selects the action
  const keys = properties[discriminator]?.["enum"] as readonly string[];
  const always = (inputSchema["required"] as readonly string[]).filter((name) => name !== discriminator);
  const fields = Object.entries(properties)
    .slice(1)
    .map(([name, schema]) => ({
      name,
      schema,
      mark: readMark((schema["description"] as string | undefined) ?? ""),
    }));
  const listed = readDescription(description, keys);
  return new Map(
    keys.map((key) => {
      const line = listed.get(key);
      const seen = fields.flatMap(({ name, schema, mark }) => {
        const uses = [
          always.includes(name) ? "required" : undefined,
          mark.required.includes(key) ? "required" : undefined,
          line?.required.includes(name) ? "required" : undefined,
          line?.optional.includes(name) ? "optional" : undefined,
          mark.optional.includes(key) ? "optional" : undefined,
          mark.optional.includes("all actions") ? "optional" : undefined,
          mark.optional.includes("all other actions") && !mark.required.includes(key)
            ? "optional"
            : undefined,
        ].filter((use) => use !== undefined);
        if (uses.length === 0) return [];
        const values = mark.values.get(key) ?? valuesOf(schema).map(toText);
        const seenField: SeenField = {
          required: uses.includes("required"),
          type: typeOf(schema),
          format: schema["format"] as string | undefined,
          values: values.toSorted(),
        };
        return [[name, seenField] as const];
      });
      return [key, { destructive: line?.destructive ?? false, fields: Object.fromEntries(seen) }];
    }),
  );
}

/** Returns the type of a field as short text. */
export function typeOf(schema: JsonObject): string {
  const branches = schema["anyOf"] as readonly JsonObject[] | undefined;
  if (branches !== undefined) return branches.map(typeOf).toSorted().join("|");
  const items = schema["items"] as JsonObject | undefined;
  const type = (schema["type"] as string | undefined) ?? typeof schema["const"];
  return items === undefined ? type : `${type} of ${typeOf(items)}`;
}

/** Returns a field's enum values, including those of list items and union branches. */
export function valuesOf(schema: JsonObject): readonly unknown[] {
  if (schema["const"] !== undefined) return [schema["const"]];
  const inner = [schema["items"], ...((schema["anyOf"] as readonly unknown[] | undefined) ?? [])];
  const own = (schema["enum"] as readonly unknown[] | undefined) ?? [];
  return [...own, ...inner.flatMap((one) => (one === undefined ? [] : valuesOf(one as JsonObject)))];
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}

interface Mark {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Reads the end of a field's description: `Values for a: x, y. Required for: a, b. For: c`. */
function readMark(text: string): Mark {
  const sentences = text.split(/(?<=[.!?]) |\. /u).map((sentence) => sentence.replace(/\.$/u, ""));
  const read = (start: string) =>
    sentences.flatMap((sentence) =>
      sentence.startsWith(start) ? sentence.slice(start.length).split(", ") : [],
    );
  const values = new Map<string, readonly string[]>();
  for (const sentence of sentences) {
    const [, keys, list] = /^Values for (.+?): (.+)$/u.exec(sentence) ?? [];
    for (const key of keys?.split(", ") ?? []) values.set(key, readWords(list ?? ""));
  }
  return { required: read("Required for: "), optional: read("For: "), values };
}

/** Reads words, and values in JSON, from a list. */
function readWords(list: string): readonly string[] {
  const words = list.match(/"(?:[^"\\]|\\.)*"|[^, ][^,]*/gu) ?? [];
  return words.map((word) => (/^(?:".*"|-?\d+|true|false|null)$/u.test(word) ? word : toText(word)));
}

/** Fields and warning that the description states for an action. */
interface Line {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly destructive: boolean;
}

function readDescription(description: string, keys: readonly string[]): ReadonlyMap<string, Line> {
  const [, workflow] = description.split("\n\nWorkflow:\n");
  if (workflow !== undefined) return readWorkflow(workflow.split("\n"));
  const [, table] = description.split("\n\n");
  return table === undefined ? new Map() : readTable(decode(table), keys);
}

const WARNING = " ⚠️ DESTRUCTIVE";

function readWorkflow(lines: readonly string[]): ReadonlyMap<string, Line> {
  const listed = new Map<string, Line>();
  let group = "";
  for (const line of lines) {
    const destructive = line.endsWith(WARNING);
    const text = destructive ? line.slice(0, -WARNING.length) : line;
    const [, heading] = /^# ([^:]+)/u.exec(text) ?? [];
    const [, name, names] = /^([^(:]+)\(([^)]*)\)/u.exec(text) ?? [];
    const [, key, detail] = /^- '(.+?)':? ?(.*)$/u.exec(text) ?? [];
    if (heading !== undefined) group = heading;
    else if (key !== undefined) {
      const [, required] = /Requires: (.+)$/u.exec(detail ?? "") ?? [];
      listed.set(key, { required: split(required), optional: [], destructive });
    } else if (name !== undefined) {
      const fields = split(names);
      listed.set(`${group}.${name}`, {
        required: fields.filter((field) => !field.endsWith("?")),
        optional: fields.filter((field) => field.endsWith("?")).map((field) => field.slice(0, -1)),
        destructive,
      });
    }
  }
  return listed;
}

interface Row {
  readonly action: string;
  readonly desc: string;
  readonly required: string;
  readonly destructive: boolean;
}

function readTable(table: unknown, keys: readonly string[]): ReadonlyMap<string, Line> {
  const rows: readonly (readonly [string, Row])[] = Array.isArray(table)
    ? (table as readonly Row[]).map((row) => [row.action, row])
    : Object.entries(table as Readonly<Record<string, readonly Row[]>>).flatMap(([group, members]) =>
        members.map((row) => [`${group}.${row.action}`, row] as const),
      );
  const known = new Set(keys);
  return new Map(
    rows.flatMap(([key, { desc, required, destructive }]) => {
      if (!known.has(key)) return [];
      const [, optional] = /\(optional ([^()]+)\)$/u.exec(desc) ?? [];
      return [[key, { required: split(required, ","), optional: split(optional), destructive }]];
    }),
  );
}

function split(list: string | undefined, separator = ", "): readonly string[] {
  return list === undefined || list === "" ? [] : list.split(separator);
}
