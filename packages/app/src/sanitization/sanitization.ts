/**
 * @fileoverview The sanitizers in one object. They cover untrusted input that a schema cannot make safe.
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

/** Sanitizers. Each returns a safe version of its input, or throws `VALIDATION_ERROR`. */
export interface Sanitization {
  /** Removes all HTML elements and attributes that are not allowed. */
  readonly sanitizeHtml: (input: unknown, options?: SanitizeHtmlOptions) => string;
  /** Makes text safe for its destination, such as an HTML page or a URL. */
  readonly sanitizeString: (input: unknown, options?: SanitizeStringOptions) => string;
  /** Validates and normalizes a URL. */
  readonly sanitizeUrl: (input: unknown, options?: SanitizeUrlOptions) => string;
  /** Validates and normalizes a path that must stay inside its directory. */
  readonly sanitizePath: (input: unknown, options?: SanitizePathOptions) => SanitizedPath;
  /** Parses JSON text within size and depth limits. */
  readonly sanitizeJson: (input: unknown, options?: SanitizeJsonOptions) => unknown;
  /** Parses a finite number, or its decimal text, within bounds. */
  readonly sanitizeNumber: (input: unknown, options?: SanitizeNumberOptions) => number;
  /** Copies a value for logging and replaces secrets with `[REDACTED]`. Never throws. */
  readonly sanitizeForLogging: (input: unknown) => unknown;
}

/** Options for `createSanitization`. */
export interface SanitizationOptions {
  /** The function exported by sanitize-html, for bundled programs. @default loaded from the package on first use */
  readonly htmlCleaner?: HtmlCleaner;
  /** Values that `sanitizeForLogging` redacts wherever they occur. */
  readonly secrets?: readonly string[];
}

/** Creates sanitizers with their own HTML cleaner and secrets. */
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

/** The application's shared sanitizers, with default options. */
export const sanitization: Sanitization = /* @__PURE__ */ createSanitization();
