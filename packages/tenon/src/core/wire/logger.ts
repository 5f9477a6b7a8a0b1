/**
 * @fileoverview Logger interface for building blocks. Any object with these four methods works, such as `console`.
 * @module kit/logger
 */

/** Logger for operators. With the stdio transport, it must not write to stdout. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
