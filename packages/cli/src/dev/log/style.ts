/**
 * @fileoverview Colors for terminals that support them.
 * @module cli/dev/log/style
 */

/** Functions that color a text, or return it unchanged. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

/** Creates a style. */
export function createStyle(hasColors: boolean): Style {
  const code = (start: number, end: number) => (text: string) =>
    hasColors ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return {
    bold: code(1, 22),
    dim: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
    cyan: code(36, 39),
  };
}
