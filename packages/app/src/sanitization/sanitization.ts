/**
 * @fileoverview The sanitizers of the application standard, in one object: for what comes from outside, where a schema
 * is not enough.
 * @module app/sanitization/sanitization
 */
import { createRedactor } from "../logging/redact.js";
import { createHtmlSanitizer, type HtmlCleaner, type SanitizeHtmlOptions } from "./html.js";
import { sanitizePath, type SanitizedPath, type SanitizePathOptions } from "./path.js";
import { createStringSanitizer, type SanitizeStringOptions } from "./text.js";
import { sanitizeUrl, type SanitizeUrlOptions } from "./url.js";
import {
  sanitizeJson,
  type SanitizeJsonOptions,
  sanitizeNumber,
  type SanitizeNumberOptions,
} from "./values.js";

/** The sanitizers. Each throws `VALIDATION_ERROR` for what it cannot make safe, and gives the safe form otherwise. */
export interface Sanitization {
  /** HTML with a few harmless elements. */
  readonly sanitizeHtml: (input: unknown, options?: SanitizeHtmlOptions) => string;
  /** Text for the place it goes to. */
  readonly sanitizeString: (input: unknown, options?: SanitizeStringOptions) => string;
  /** An address, in its normal form. */
  readonly sanitizeUrl: (input: unknown, options?: SanitizeUrlOptions) => string;
  /** A path that stays in its folder. */
  readonly sanitizePath: (input: unknown, options?: SanitizePathOptions) => SanitizedPath;
  /** The value of JSON text. */
  readonly sanitizeJson: (input: unknown, options?: SanitizeJsonOptions) => unknown;
  /** A number. */
  readonly sanitizeNumber: (input: unknown, options?: SanitizeNumberOptions) => number;
  /** A copy for the log, with `[REDACTED]` for secrets. Never throws. */
  readonly sanitizeForLogging: (input: unknown) => unknown;
}

/** Options of `createSanitization`. */
export interface SanitizationOptions {
  /** The function of sanitize-html, for programs that are bundled. @default the installed package, on first use */
  readonly htmlCleaner?: HtmlCleaner;
  /** Values that no log may show, whatever they are called. */
  readonly secrets?: readonly string[];
}

/** Makes the sanitizers. */
export function createSanitization(options: SanitizationOptions = {}): Sanitization {
  const sanitizeHtml = createHtmlSanitizer(options.htmlCleaner);
  const redactor = createRedactor(options.secrets === undefined ? {} : { secrets: options.secrets });
  return Object.freeze({
    sanitizeHtml,
    sanitizeString: createStringSanitizer(sanitizeHtml),
    sanitizeUrl,
    sanitizePath,
    sanitizeJson,
    sanitizeNumber,
    sanitizeForLogging: (input: unknown) => redactor.value(input),
  });
}

/** The sanitizers with their defaults. */
export const sanitization: Sanitization = /* @__PURE__ */ createSanitization();
