/**
 * @fileoverview What the building blocks log to: any object with these four methods, such as `console`.
 * @module kit/logger
 */

/** Takes lines for the operator. On stdio it must not write to stdout. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
