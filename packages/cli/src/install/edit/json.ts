/**
 * @fileoverview JSON configuration files, with or without comments.
 * @module cli/install/edit/json
 */
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { canonicalJson, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { REDACTED } from "@tenon/internal/security/redact-text";
import {
  applySplices,
  type ConfigDocument,
  ConfigProblem,
  lineBreakOf,
  lineStart,
  placeOf,
  SECRET_MEMBERS,
  type Splice,
  UNCHANGEABLE,
} from "./document.js";
import { endOf, insertMember, type JsonStyle, removeMember, renderValue } from "./json-members.js";

/** Syntax that a client accepts, and the member that contains its servers. */
export interface JsonRules {
  readonly container: string;
  readonly comments: boolean;
  readonly trailingCommas: boolean;
}

/** Opens a JSON file's text. @throws {ConfigProblem} if it is not valid, or if the servers are not in an object */
export function openJson(text: string, rules: JsonRules): ConfigDocument {
  const root = parse(text, rules);
  const container = root === undefined ? undefined : findObject(text, root, rules.container);
  const members = toUniqueMembers(text, container);
  const style = styleOf(text, root);
  const before = toObject(root);
  const entries = toObject(container);

  /** Parses the result again, so that a file is never written that differs in anything but the entry. */
  const checked = (after: string, entries: JsonObject): string => {
    const expected = { ...before, [rules.container]: entries };
    const value = toObject(parse(after, rules));
    if (canonicalJson(value) === canonicalJson(expected)) return after;
    throw new ConfigProblem(UNCHANGEABLE);
  };

  return {
    names: [...members.keys()],
    read(name) {
      const value = members.get(name)?.children?.[1];
      return value === undefined ? undefined : getNodeValue(value);
    },
    set(name, value) {
      const member = members.get(name);
      const splices =
        member === undefined
          ? addEntry(text, { root, container, style }, { key: name, value, rules })
          : replaceEntry(text, member, { value, style });
      return checked(applySplices(text, splices), { ...entries, [name]: value });
    },
    remove(name) {
      const member = members.get(name);
      if (container === undefined || member === undefined) return text;
      const { [name]: _removed, ...others } = entries;
      return checked(applySplices(text, removeMember(text, container, member)), others);
    },
    redacted: () => (root === undefined ? text : applySplices(text, findSecrets(root))),
  };
}

function parse(text: string, { comments, trailingCommas }: JsonRules): Node | undefined {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, {
      disallowComments: !comments,
      allowTrailingComma: trailingCommas,
      allowEmptyContent: true,
    });
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigProblem("It is nested too deeply");
    throw error;
  }
  const [first] = errors;
  if (first !== undefined) throw new ConfigProblem(describeError(first), placeOf(text, first.offset));
  if (root !== undefined && root.type !== "object")
    throw new ConfigProblem(`It must contain an object; got ${root.type}`, placeOf(text, root.offset));
  return root;
}

/** Explanations for errors. Other errors are described by the parser's name for them. */
const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: "Invalid symbol",
  InvalidNumberFormat: "Invalid number",
  PropertyNameExpected: "Expected a property name in double quotes",
  ValueExpected: "Expected a value",
  ColonExpected: "Expected a colon",
  CommaExpected: "Expected a comma",
  CloseBraceExpected: "Expected a closing brace",
  CloseBracketExpected: "Expected a closing bracket",
  EndOfFileExpected: "Expected the end of the file",
  InvalidCommentToken: "Comments are not allowed in this client's file",
  UnexpectedEndOfComment: "Unclosed comment",
  UnexpectedEndOfString: "Unclosed string",
  UnexpectedEndOfNumber: "Incomplete number",
  InvalidUnicode: "Invalid Unicode escape",
  InvalidEscapeCharacter: "Invalid escape character",
  InvalidCharacter: "Invalid character in a string",
};

function describeError({ error }: ParseError): string {
  const code = printParseErrorCode(error);
  return REASONS[code] ?? code;
}

function findObject(text: string, root: Node, key: string): Node | undefined {
  const [member, second] = (root.children ?? []).filter((one) => keyOf(one) === key);
  if (second !== undefined) throw appearsTwice(text, second);
  const value = member?.children?.[1];
  if (value === undefined || value.type === "object") return value;
  throw new ConfigProblem(`"${key}" must be an object; got ${value.type}`, placeOf(text, value.offset));
}

function toUniqueMembers(text: string, object: Node | undefined): ReadonlyMap<string, Node> {
  const members = new Map<string, Node>();
  for (const member of object?.children ?? []) {
    if (members.has(keyOf(member))) throw appearsTwice(text, member);
    members.set(keyOf(member), member);
  }
  return members;
}

/** Clients differ in which of two members with the same name they read. */
function appearsTwice(text: string, member: Node): ConfigProblem {
  return new ConfigProblem(`${JSON.stringify(keyOf(member))} appears twice`, placeOf(text, member.offset));
}

function keyOf(member: Node): string {
  return String(member.children?.[0]?.value);
}

function toObject(node: Node | undefined): JsonObject {
  const value: unknown = node === undefined ? {} : getNodeValue(node);
  return isJsonObject(value) ? value : {};
}

interface Surroundings {
  readonly root: Node | undefined;
  readonly container: Node | undefined;
  readonly style: JsonStyle;
}

interface NewEntry {
  readonly key: string;
  readonly value: JsonObject;
  readonly rules: JsonRules;
}

function addEntry(
  text: string,
  { root, container, style }: Surroundings,
  entry: NewEntry,
): readonly Splice[] {
  const { key, value, rules } = entry;
  if (container !== undefined) return insertMember(text, container, { member: { key, value }, style });
  const whole = { key: rules.container, value: { [key]: value } };
  if (root !== undefined) return insertMember(text, root, { member: whole, style });
  // The file is empty, or contains only comments.
  const lead = text.trim() === "" || text.endsWith("\n") ? "" : style.lineBreak;
  const body = renderValue({ [whole.key]: whole.value }, style, "");
  const start = text.trim() === "" ? 0 : text.length;
  return [{ start, end: text.length, text: `${lead}${body}${style.lineBreak}` }];
}

interface Replacement {
  readonly value: JsonObject;
  readonly style: JsonStyle;
}

function replaceEntry(text: string, member: Node, { value, style }: Replacement): readonly Splice[] {
  const old = member.children?.[1];
  if (old === undefined) return [];
  const start = lineStart(text, member.offset);
  const indent = text.slice(start, member.offset);
  const isOwnLine = /^[ \t]*$/.test(indent);
  const rendered = isOwnLine ? renderValue(value, style, indent) : JSON.stringify(value);
  return [{ start: old.offset, end: endOf(old), text: rendered }];
}

/** Finds the file's layout. A text such as `{}` counts as a file with several lines. */
function styleOf(text: string, root: Node | undefined): JsonStyle {
  const first = root?.children?.[0];
  const indent = first === undefined ? "" : text.slice(lineStart(text, first.offset), first.offset);
  return {
    lineBreak: lineBreakOf(text),
    unit: /^[ \t]+$/.test(indent) ? indent : "  ",
    isOneLine: first !== undefined && !text.trim().includes("\n"),
  };
}

/** Finds the string values of all members that may contain secrets. */
function findSecrets(root: Node): readonly Splice[] {
  const found: Splice[] = [];
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const [key, value] = node.type === "property" ? (node.children ?? []) : [];
    if (SECRET_MEMBERS.includes(String(key?.value)) && value?.type === "object") {
      for (const { children: [, secret] = [] } of value.children ?? [])
        if (secret !== undefined)
          found.push({ start: secret.offset, end: endOf(secret), text: JSON.stringify(REDACTED) });
    } else open.push(...(node.children ?? []));
  }
  return found;
}
