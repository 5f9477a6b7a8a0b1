/**
 * @fileoverview Inserts and removes members of a JSON object in its text.
 * @module cli/install/edit/json-members
 */
import type { Node } from "jsonc-parser";
import { lineStart, type Splice } from "./document.js";

/** Layout of a file. */
export interface JsonStyle {
  readonly lineBreak: string;
  /** Indentation of one level. */
  readonly unit: string;
  /** True if the file has members and is on one line. */
  readonly isOneLine: boolean;
}

/** Member to insert, and the layout of the file. */
export interface Insertion {
  readonly member: { readonly key: string; readonly value: unknown };
  readonly style: JsonStyle;
}

/** Inserts a member at the end of an object, after the comments that follow the last member. */
export function insertMember(text: string, object: Node, { member, style }: Insertion): readonly Splice[] {
  const members = object.children ?? [];
  const [first, last] = [members[0], members.at(-1)];
  const key = JSON.stringify(member.key);
  if (first === undefined || last === undefined) return fillObject(text, object, { member, style });

  const gap = scanGap(text, endOf(last), endOf(object) - 1);
  const indent = text.slice(lineStart(text, first.offset), first.offset);
  if (!/^[ \t]*$/.test(indent)) {
    // The first member shares its line with the brace.
    const body = `${key}:${style.isOneLine && !/":\s/.test(text) ? "" : " "}${JSON.stringify(member.value)}`;
    const space = /,\S/.test(text) && style.isOneLine ? "" : " ";
    return gap.comma === undefined
      ? [insertion(endOf(last), `,${space}${body}`)]
      : [insertion(gap.comma + 1, `${space}${body},`)];
  }
  const body = `${style.lineBreak}${indent}${key}: ${renderValue(member.value, style, indent)}`;
  return gap.comma === undefined
    ? [insertion(endOf(last), ","), insertion(gap.end, body)]
    : [insertion(gap.end, `${body},`)];
}

function fillObject(text: string, object: Node, { member, style }: Insertion): readonly Splice[] {
  const [start, close] = [object.offset + 1, endOf(object) - 1];
  const gap = scanGap(text, start, close);
  const key = JSON.stringify(member.key);
  if (style.isOneLine && gap.end === start)
    return [{ start, end: close, text: `${key}:${JSON.stringify(member.value)}` }];
  const [outer = ""] = /^[ \t]*/.exec(text.slice(lineStart(text, object.offset))) ?? [];
  const indent = outer + style.unit;
  const body = `${style.lineBreak}${indent}${key}: ${renderValue(member.value, style, indent)}`;
  const isClosedBelow = gap.end > start && text.slice(gap.end, close).includes("\n");
  return isClosedBelow
    ? [insertion(gap.end, body)]
    : [{ start: gap.end, end: close, text: `${body}${style.lineBreak}${outer}` }];
}

/** Removes a member with its comma. Comments around it stay. An object without other content becomes `{}`. */
export function removeMember(text: string, object: Node, member: Node): readonly Splice[] {
  const members = object.children ?? [];
  const index = members.indexOf(member);
  const [previous, next] = [members[index - 1], members[index + 1]];
  const [open, close] = [object.offset + 1, endOf(object) - 1];
  const before = scanGap(text, previous === undefined ? open : endOf(previous), member.offset);
  const after = scanGap(text, endOf(member), next?.offset ?? close);
  const end = after.comma === undefined ? endOf(member) : after.comma + 1;

  const isEmpty = members.length === 1 && before.end === open && text.slice(end, close).trim() === "";
  if (isEmpty) return [{ start: open, end: close, text: "" }];
  // A line comment before the member must stay on its own line.
  const mustBreak = before.endsWithLineComment && !/^[ \t]*(?:\/\/.*)?\r?\n/.test(text.slice(end));
  const removed = { start: before.end, end, text: mustBreak ? "\n" : "" };
  const isLast = next === undefined && after.comma === undefined;
  return isLast && before.comma !== undefined
    ? [{ start: before.comma, end: before.comma + 1, text: "" }, removed]
    : [removed];
}

/** Returns the offset after a node. */
export function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Renders a value over several lines. `indent` is the indentation of the line on which it starts. */
export function renderValue(value: unknown, { unit, lineBreak }: JsonStyle, indent: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", lineBreak + indent);
}

interface Gap {
  /** Offset of the first comma. */
  readonly comma: number | undefined;
  /** Offset after the last comma or comment. */
  readonly end: number;
  readonly endsWithLineComment: boolean;
}

/** Scans the text between two members, which contains only whitespace, commas, and comments. */
function scanGap(text: string, start: number, end: number): Gap {
  let comma: number | undefined;
  let last = start;
  let endsWithLineComment = false;
  for (let at = start; at < end;) {
    const isLine = text.startsWith("//", at);
    if (isLine || text.startsWith("/*", at)) {
      const [stop] = /^(?:\/\/[^\r\n]*|\/\*[^]*?\*\/)/.exec(text.slice(at, end)) ?? [""];
      at += Math.max(1, stop.length);
      [last, endsWithLineComment] = [at, isLine];
    } else {
      if (text[at] === ",") {
        comma ??= at;
        [last, endsWithLineComment] = [at + 1, false];
      }
      at++;
    }
  }
  return { comma, end: last, endsWithLineComment };
}

function insertion(offset: number, text: string): Splice {
  return { start: offset, end: offset, text };
}
