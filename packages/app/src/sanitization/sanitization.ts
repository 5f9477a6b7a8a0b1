/**
 * @fileoverview All sanitizers in one object, for untrusted input that a schema cannot make safe.
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

/** Sanitizers. Each returns the safe form of its input, or throws `VALIDATION_ERROR`. */
export interface Sanitization {
  /** Returns HTML with a few harmless elements. */
  readonly sanitizeHtml: (input: unknown, options?: SanitizeHtmlOptions) => string;
  /** Returns text that is safe for its destination. */
  readonly sanitizeString: (input: unknown, options?: SanitizeStringOptions) => string;
  /** Returns a URL in normal form. */
  readonly sanitizeUrl: (input: unknown, options?: SanitizeUrlOptions) => string;
  /** Returns a path that stays inside its folder. */
  readonly sanitizePath: (input: unknown, options?: SanitizePathOptions) => SanitizedPath;
  /** Parses JSON text. */
  readonly sanitizeJson: (input: unknown, options?: SanitizeJsonOptions) => unknown;
  /** Parses a number. */
  readonly sanitizeNumber: (input: unknown, options?: SanitizeNumberOptions) => number;
  /** Returns a copy for logging, with `[REDACTED]` for secrets. Never throws. */
  readonly sanitizeForLogging: (input: unknown) => unknown;
}

/** Options of `createSanitization`. */
export interface SanitizationOptions {
  /** The sanitize-html function, for bundled programs. @default the installed package, loaded on first use */
  readonly htmlCleaner?: HtmlCleaner;
  /** Values to redact from logs under any name. */
  readonly secrets?: readonly string[];
}

/** Creates the sanitizers. */
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

/** Sanitizers with default options. */
export const sanitization: Sanitization = /* @__PURE__ */ createSanitization();
