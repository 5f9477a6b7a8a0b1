/**
 * @fileoverview Describes errors and warnings of esbuild, one line each, with the place in the source.
 * @module cli/bundle/compile/compile-errors
 */
import type { Message } from "esbuild";
import { isBuiltin } from "node:module";
import { isJsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
import { oneLine } from "@tenon/internal/text";

/** Describes a failed build: one line for each error, up to a limit. */
export function describeFailure(error: unknown): string {
  const messages = readMessages(error);
  if (messages.length === 0) return oneLine(messageOf(error) ?? String(error), MAX_LENGTH);
  const lines = [...new Set(messages.map((message) => `- ${describeMessage(message)}`))];
  const more = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(more > 0 ? [`- and ${more} more errors`] : [])].join("\n");
}

/** Describes warnings, up to a limit. */
export function describeWarnings(warnings: readonly Message[]): readonly string[] {
  return warnings.slice(0, MAX_LINES).map(describeMessage);
}

/** Describes a package with compiled code. */
export function describeNative(name: string): string {
  const shown = oneLine(name, 100);
  return (
    `The package "${shown}" contains a native addon, which cannot be part of a bundle. ` +
    `Use a package without native code, or leave it out with --external ${shown}.`
  );
}

const MAX_LINES = 20;
const MAX_LENGTH = 500;

function readMessages(error: unknown): readonly Message[] {
  const errors = isJsonObject(error) ? error["errors"] : undefined;
  // Safe: esbuild fails with an error whose `errors` are messages.
  return Array.isArray(errors) ? (errors as readonly Message[]) : [];
}

function describeMessage({ text, location, pluginName }: Message): string {
  const message = oneLine(text, MAX_LENGTH).replace(/\.$/, "");
  // Our own messages already contain the package and the solution.
  if (pluginName === "native-addons") return `${message}.`;
  const place = location === null ? "" : `${location.file}:${location.line}:${location.column + 1}: `;
  const [, name] = /^Could not resolve "((?:@[\w.~-]+\/)?[\w.~-]+)/.exec(text) ?? [];
  const isPackage = name !== undefined && !name.startsWith(".") && !isBuiltin(name);
  return `${place}${message}.${isPackage ? ` Install it: npm install ${name}` : ""}`;
}
