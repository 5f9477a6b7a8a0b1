/**
 * @fileoverview Finds characters that a reader cannot see: control characters, bidirectional controls, zero-width
 * characters, and tags. Characters that a script or an emoji requires are not reported.
 * @module cli/doctor/facts/hidden-characters
 */

/** Kind of a hidden character. */
export type HiddenKind = "control" | "bidirectional" | "zero-width" | "tag" | "variation";

/** Hidden character in a text. */
export interface HiddenCharacter {
  /** Index of its first code unit. */
  readonly index: number;
  readonly codePoint: number;
  readonly kind: HiddenKind;
}

/** Finds the hidden characters in a text, in order. */
export function findHidden(text: string): readonly HiddenCharacter[] {
  if (!SUSPECT.test(text)) return [];
  const scripts = { isRightToLeft: RIGHT_TO_LEFT.test(text), hasNoSpaces: NO_SPACES.test(text) };
  const found: HiddenCharacter[] = [];
  const allowedTags = findFlagTags(text);
  let before = "";
  let index = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    const after = codePointAfter(text, index + character.length);
    const kind = allowedTags.has(index) ? undefined : kindOf(codePoint, { before, after, ...scripts });
    if (kind !== undefined) found.push({ index, codePoint, kind });
    before = character;
    index += character.length;
  }
  return found;
}

/** Removes the hidden characters from a text. */
export function removeHidden(text: string): string {
  let clean = "";
  let end = 0;
  for (const { index, codePoint } of findHidden(text)) {
    clean += text.slice(end, index);
    end = index + (codePoint > 0xffff ? 2 : 1);
  }
  return clean + text.slice(end);
}

/** Characters that can be hidden. A text without any of them is not searched further. */
const SUSPECT =
  /[^\P{Cc}\t\n\r]|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\ufe00-\ufe0f]|[\u{e0000}-\u{e01ef}]/u;
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u;
/** Scripts without spaces between words, in which zero-width spaces mark the words. */
const NO_SPACES = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]/u;

/** Surroundings of a character that decide if it is required. */
interface Surroundings {
  readonly before: string;
  readonly after: string;
  readonly isRightToLeft: boolean;
  readonly hasNoSpaces: boolean;
}

function kindOf(code: number, { before, after, ...scripts }: Surroundings): HiddenKind | undefined {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d ? undefined : "control";
  if (code >= 0x7f && code <= 0x9f) return "control";
  if (code === 0x202d || code === 0x202e) return "bidirectional";
  if (isBidirectional(code)) return scripts.isRightToLeft ? undefined : "bidirectional";
  if (code === 0x200b) return scripts.hasNoSpaces ? undefined : "zero-width";
  if (code === 0x200c || code === 0x200d) return isJoinable(before, after) ? undefined : "zero-width";
  if (ZERO_WIDTH.has(code) || (code >= 0x2060 && code <= 0x2064)) return "zero-width";
  if (code >= 0xe0000 && code <= 0xe007f) return "tag";
  if (code >= 0xfe00 && code <= 0xfe0f) return isStyled(before) ? undefined : "variation";
  if (code >= 0xe0100 && code <= 0xe01ef) return /\p{sc=Han}/u.test(before) ? undefined : "variation";
  return undefined;
}

/** Marks, embeddings, and isolates, which mixed text in a right-to-left script may require. */
function isBidirectional(code: number): boolean {
  return (
    code === 0x061c ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202c) ||
    (code >= 0x2066 && code <= 0x2069)
  );
}

/** Soft hyphen, joiners without an effect, fillers, the byte order mark, and annotation characters. */
const ZERO_WIDTH: ReadonlySet<number> = /* @__PURE__ */ new Set([
  0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffa, 0xfffb,
]);

/** Returns true if a joiner connects parts of an emoji, or letters of a script that uses joiners. */
function isJoinable(before: string, after: string): boolean {
  const joins = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\u20e3\ufe0f]/u;
  if (joins.test(before) && /\p{Extended_Pictographic}|[\u2640\u2642\u2695]/u.test(after)) return true;
  return /[\p{L}\p{M}]/u.test(before) && !/[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}]/u.test(before);
}

/** Returns true if a variation selector after this character is ordinary: it selects a symbol or a glyph. */
function isStyled(before: string): boolean {
  return before !== "" && !/[A-Za-z\s\ufe00-\ufe0f]/u.test(before);
}

function codePointAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** Returns the indexes of tags that belong to a flag, such as that of Scotland: a black flag, letters, and an end. */
function findFlagTags(text: string): ReadonlySet<number> {
  const allowed = new Set<number>();
  for (const { index, 0: flag } of text.matchAll(
    /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu,
  )) {
    for (let at = index + 2; at < index + flag.length; at += 2) allowed.add(at);
  }
  return allowed;
}
