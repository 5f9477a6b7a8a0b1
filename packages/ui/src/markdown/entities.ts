/**
 * @fileoverview Decodes character references, such as `&amp;`, in Markdown text.
 * @module ui/markdown/entities
 */

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  trade: "™",
  deg: "°",
  plusmn: "±",
  times: "×",
  divide: "÷",
  middot: "·",
  bull: "•",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  larr: "←",
  uarr: "↑",
  rarr: "→",
  darr: "↓",
  euro: "€",
  pound: "£",
  sect: "§",
  para: "¶",
};

/** Replaces numeric references and common named references. Others stay as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(#\d{1,7}|#[xX][\dA-Fa-f]{1,6}|[A-Za-z]{2,8});/g, (whole, reference: string) => {
    if (!reference.startsWith("#"))
      return Object.hasOwn(NAMED, reference) ? (NAMED[reference] ?? whole) : whole;
    // `#x41` becomes the hexadecimal number `0x41`.
    const code = Number(reference.slice(1).replace(/^x/i, "0x"));
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
      ? String.fromCodePoint(code)
      : "\ufffd";
  });
}
