/**
 * @fileoverview Validates a manifest against the schema of its format.
 * @module cli/bundle/check-manifest
 */
import { Errors } from "typebox/schema";
import type { JsonObject } from "@tenon/internal/json";
import { oneLine } from "@tenon/internal/text";
import { MANIFEST_SCHEMA, MANIFEST_VERSION } from "./manifest-schema.js";

/** Checks a manifest. Returns one line for each problem, such as `author.email must match format "email"`. */
export function checkManifest(manifest: JsonObject): readonly string[] {
  const [isValid, errors] = Errors(MANIFEST_SCHEMA, manifest);
  const problems = errors.map(({ instancePath, message }) => {
    const path = instancePath.split("/").slice(1).map(unescapePointer).join(".");
    return oneLine(`${path === "" ? "The manifest" : path} ${message}`, 300);
  });
  if (manifest["manifest_version"] !== MANIFEST_VERSION)
    return [`manifest_version must be "${MANIFEST_VERSION}".`, ...new Set(problems)];
  return isValid ? [] : [...new Set(problems)];
}

function unescapePointer(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}
