/**
 * @fileoverview YAML configuration files in block style, which is the style that clients write.
 * @module cli/install/edit/yaml
 */
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  visit,
  type YAMLMap,
} from "yaml";
import { escapeControls, oneLine } from "@tenon/internal/text";
import { canonicalJson, isJsonObject, type JsonObject } from "@tenon/internal/json";
import { REDACTED } from "@tenon/internal/security/redact-text";
import { messageOf } from "@tenon/internal/thrown";
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

/** Opens a YAML file's text. @throws {ConfigProblem} if it is not valid, or if the servers are not in a mapping */
export function openYaml(text: string, container: string): ConfigDocument {
  const document = parse(text);
  const root = toMap(text, document.contents, "The file");
  const holder = findPair(root, container);
  const map = holder === undefined ? undefined : toMap(text, holder.value, `"${container}"`);
  const file: YamlFile = { text, container, root, holder, map };
  const before = toValue(document);
  const entries = isJsonObject(before[container]) ? before[container] : {};

  /** Parses the result again, so that a file is never written that differs in anything but the entry. */
  const checked = (splices: readonly Splice[], expected: JsonObject): string => {
    const after = applySplices(text, splices);
    if (canonicalJson(toValue(parse(after))) === canonicalJson({ ...before, [container]: expected }))
      return after;
    throw new ConfigProblem(UNCHANGEABLE);
  };
  return {
    names: Object.keys(entries),
    read: (name) => (Object.hasOwn(entries, name) ? entries[name] : undefined),
    set(name, value) {
      const pair = findPair(map, name);
      const entry = { [name]: value };
      const splices = pair === undefined ? addEntry(file, entry) : replaceEntry(file, pair, entry);
      return checked(splices, { ...entries, ...entry });
    },
    remove(name) {
      const pair = findPair(map, name);
      const { [name]: _removed, ...others } = entries;
      return pair === undefined ? text : checked(removeEntry(file, pair), others);
    },
    redacted: () => applySplices(text, findSecrets(text, document)),
  };
}

interface YamlFile {
  readonly text: string;
  /** Key of the servers. */
  readonly container: string;
  readonly root: YAMLMap | undefined;
  /** Pair of the servers. */
  readonly holder: Pair | undefined;
  /** Servers. */
  readonly map: YAMLMap | undefined;
}

function addEntry({ text, container, root, holder, map }: YamlFile, entry: JsonObject): readonly Splice[] {
  if (map !== undefined && map.items.length > 0)
    return [insertLines(text, endOfLast(text, map), render(text, entry, indentOf(text, map)))];
  const outer = root === undefined || root.items.length === 0 ? "" : indentOf(text, root);
  const lines = render(text, entry, `${outer}  `);
  if (holder !== undefined) return fillPair(text, holder, lines);
  const whole = `${outer}${container}:${lineBreakOf(text)}${lines}`;
  if (root === undefined) return [insertLines(text, text.length, whole)];
  // An empty mapping (`{}`) gives way to the first entry.
  if (root.items.length === 0) return [{ start: startOf(root), end: endOf(root), text: whole }];
  return [insertLines(text, endOfLast(text, root), whole)];
}

function replaceEntry({ text, map }: YamlFile, pair: Pair, entry: JsonObject): readonly Splice[] {
  const { start, end, hasBreak } = linesOf(text, pair);
  const lines = render(text, entry, map === undefined ? "" : indentOf(text, map));
  return [{ start, end, text: hasBreak ? lines + lineBreakOf(text) : lines }];
}

function removeEntry({ text, holder, map }: YamlFile, pair: Pair): readonly Splice[] {
  const { start, end, lead } = linesOf(text, pair);
  const removed = { start: start - lead, end, text: "" };
  if (holder === undefined || map?.items.length !== 1) return [removed];
  const at = endOfKey(text, holder);
  return [{ start: at, end: at, text: " {}" }, removed];
}

function parse(text: string): Document.Parsed {
  const document = compose(text);
  const [error] = document.errors;
  if (error === undefined) return document;
  // Some messages end with the source text, which may be a secret.
  const reason =
    error.code === "MULTIPLE_DOCS"
      ? "It must contain only one document"
      : oneLine(error.message.replace(/: ".*$/s, ""), 160);
  throw new ConfigProblem(reason, placeOf(text, error.pos[0]));
}

function compose(text: string): Document.Parsed {
  try {
    return parseDocument(text, { prettyErrors: false });
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigProblem("It is nested too deeply");
    throw error;
  }
}

function toValue(document: Document.Parsed): JsonObject {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return isJsonObject(value) ? value : {};
  } catch (error) {
    throw new ConfigProblem(oneLine(messageOf(error) ?? "It cannot be evaluated", 160));
  }
}

/** Returns a mapping, or `undefined` for an empty value. @throws {ConfigProblem} for every other value */
function toMap(text: string, node: unknown, label: string): YAMLMap | undefined {
  if (node === null || node === undefined || (isScalar(node) && node.value === null)) return undefined;
  if (!isMap(node)) throw new ConfigProblem(`${label} must be a mapping`, placeOfNode(text, node));
  if (node.flow === true && node.items.length > 0)
    throw new ConfigProblem(
      `${label} is written in braces, and only indented lines can be changed`,
      placeOfNode(text, node),
    );
  return node;
}

function findPair(map: YAMLMap | undefined, name: string): Pair | undefined {
  return map?.items.find(({ key }) => isScalar(key) && key.value === name);
}

/** Renders a mapping as lines without a line break at the end. Strings are quoted, so that every parser agrees. */
function render(text: string, value: JsonObject, indent: string): string {
  const rendered = stringify(value, {
    lineWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    defaultKeyType: "PLAIN",
    defaultStringType: "QUOTE_DOUBLE",
  });
  // Older parsers take some of these characters for line breaks, and reject others. Only quoted strings contain them.
  const lines = escapeControls(rendered.trimEnd()).split("\n");
  return lines.map((line) => indent + line).join(lineBreakOf(text));
}

/** Inserts lines at the start of a line, or at the end of a text that has no line break at its end. */
function insertLines(text: string, offset: number, lines: string): Splice {
  const lineBreak = lineBreakOf(text);
  const isOwnLine = offset === 0 || text[offset - 1] === "\n";
  return {
    start: offset,
    end: offset,
    text: isOwnLine ? `${lines}${lineBreak}` : `${lineBreak}${lines}`,
  };
}

/** Replaces an empty value, such as `{}`, with lines below its key. */
function fillPair(text: string, pair: Pair, lines: string): readonly Splice[] {
  const key = endOfKey(text, pair);
  const isMissing = startOf(pair.value) === endOf(pair.value);
  const end = isMissing ? key : endOf(pair.value);
  return [{ start: key, end, text: "" }, insertLines(text, endOfLine(text, end), lines)];
}

interface Lines {
  readonly start: number;
  readonly end: number;
  /** Length of the line break before the lines, if there is none after them. */
  readonly lead: number;
  readonly hasBreak: boolean;
}

/** Returns the lines of an entry. */
function linesOf(text: string, pair: Pair): Lines {
  const start = lineStart(text, startOf(pair.key));
  const end = endOfLine(text, endOfPair(pair));
  const hasBreak = text[end - 1] === "\n";
  const [lead = ""] = hasBreak ? [] : (/\r?\n$/.exec(text.slice(0, start)) ?? []);
  return { start, end, lead: lead.length, hasBreak };
}

/** Returns the indentation of a block mapping. @throws {ConfigProblem} if its first key is not alone on its line */
function indentOf(text: string, map: YAMLMap): string {
  const start = startOf(map.items[0]?.key);
  const indent = text.slice(lineStart(text, start), start);
  if (/^ *$/.test(indent)) return indent;
  throw new ConfigProblem(UNCHANGEABLE, placeOf(text, start));
}

function endOfLast(text: string, map: YAMLMap): number {
  const last = map.items.at(-1);
  return endOfLine(text, last === undefined ? endOf(map) : endOfPair(last));
}

function endOfPair(pair: Pair): number {
  return pair.value === null ? endOf(pair.key) : endOfContent(pair.value);
}

/** Returns the offset after a node's last character, without comments that follow it. */
function endOfContent(node: unknown): number {
  const isBlock = (isMap(node) || isSeq(node)) && node.flow !== true;
  const last: unknown = isBlock ? node.items.at(-1) : undefined;
  if (last === undefined) return endOf(node);
  return isPair(last) ? endOfPair(last) : endOfContent(last);
}

/** Returns the start of the next line. An offset at the start of a line is returned unchanged. */
function endOfLine(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

/** Returns the offset after the colon of a key. */
function endOfKey(text: string, pair: Pair): number {
  return text.indexOf(":", endOf(pair.key)) + 1;
}

function startOf(node: unknown): number {
  return (node as Partial<Node> | null | undefined)?.range?.[0] ?? 0; // Safe: every parsed node has a range
}

function endOf(node: unknown): number {
  return (node as Partial<Node> | null | undefined)?.range?.[1] ?? 0; // Safe: every parsed node has a range
}

function placeOfNode(text: string, node: unknown) {
  return placeOf(text, startOf(node));
}

/** Finds the values of all members that may contain secrets. */
function findSecrets(text: string, document: Document.Parsed): readonly Splice[] {
  const found: Splice[] = [];
  visit(document, {
    Pair(_key, { key, value }) {
      if (!isScalar(key) || !SECRET_MEMBERS.includes(String(key.value)) || !isMap(value)) return undefined;
      for (const { value: secret } of value.items)
        if (isScalar(secret)) found.push(redaction(text, startOf(secret), endOf(secret)));
      return visit.SKIP;
    },
  });
  return found;
}

function redaction(text: string, start: number, end: number): Splice {
  const lineBreak = text[end - 1] === "\n" ? "\n" : ""; // a block scalar includes its last line break
  return { start, end, text: start === end ? "" : JSON.stringify(REDACTED) + lineBreak };
}
