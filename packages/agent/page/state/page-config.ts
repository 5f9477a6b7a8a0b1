/**
 * @fileoverview Reads the facts that the server has put into the HTML document.
 * @module agent/page-app/state/page-config
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { CONFIG_NAME, isSignInUrl, type PageConfig } from "../../src/page/page-config.js";

/** Part of `Document` that contains the facts. */
export interface ConfigDocument {
  readonly querySelector: (
    selector: string,
  ) => { readonly getAttribute: (name: string) => string | null } | null;
}

const DEFAULTS: PageConfig = {
  title: "Agent",
  greeting: "How can I help?",
  suggestions: [],
  maxMessageBytes: 1_048_576,
  needsToken: false,
  hasUsers: false,
};

/** Reads the facts. A document without them, or with invalid ones, gets the defaults. */
export function readPageConfig(document: ConfigDocument): PageConfig {
  const text = document.querySelector(`meta[name=${CONFIG_NAME}]`)?.getAttribute("content") ?? "{}";
  const value = readJson(text);
  if (!isJsonObject(value)) return DEFAULTS;
  const { title, greeting, suggestions, maxMessageBytes, needsToken, hasUsers, signInUrl } = value;
  return {
    title: typeof title === "string" ? title : DEFAULTS.title,
    greeting: typeof greeting === "string" ? greeting : DEFAULTS.greeting,
    suggestions: Array.isArray(suggestions)
      ? suggestions.filter((one): one is string => typeof one === "string")
      : DEFAULTS.suggestions,
    maxMessageBytes: typeof maxMessageBytes === "number" ? maxMessageBytes : DEFAULTS.maxMessageBytes,
    needsToken: needsToken === true,
    hasUsers: hasUsers === true,
    ...(isSignInUrl(signInUrl) && { signInUrl }),
  };
}
