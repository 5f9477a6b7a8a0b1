/**
 * @fileoverview HTTP headers that repeat parts of a stateless request, so that proxies can route it without reading its
 * body.
 * @module tenon/client/messages/request-headers
 */
import { toBase64 } from "@tenon/internal/base64";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { compileHeaderRules, type HeaderRule, NAME_FIELDS } from "../../protocol/revisions/headers.js";

/** Returns the headers that every stateless request requires. */
export function standardHeaders(
  revision: string,
  method: string,
  params: JsonObject,
): Readonly<Record<string, string>> {
  const name = params[NAME_FIELDS.get(method) ?? ""];
  return {
    "mcp-protocol-version": revision,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": toHeaderValue(name) } : {}),
  };
}

/** Tool arguments that are repeated in headers, by tool. Known for the tools that the client has listed. */
export class ToolHeaders {
  #rules: ReadonlyMap<string, readonly HeaderRule[]> = new Map();

  /**
   * Reads the schemas of all listed tools, which replace those of an earlier list. Returns the tools whose headers are
   * valid: the others must not be called.
   */
  learn<Tool extends JsonObject>(tools: readonly Tool[]): readonly Tool[] {
    const rules = new Map<string, readonly HeaderRule[]>();
    const valid = tools.filter(({ name, inputSchema }) => {
      const compiled = isJsonObject(inputSchema) ? compileHeaderRules(inputSchema) : NO_RULES;
      if (compiled.ok && typeof name === "string") rules.set(name, compiled.rules);
      return compiled.ok;
    });
    this.#rules = rules;
    return valid;
  }

  /** Returns the headers of a call. Empty if the tool is not known or repeats no argument. */
  headersFor({ name, arguments: args }: JsonObject): Readonly<Record<string, string>> {
    const rules = typeof name === "string" ? this.#rules.get(name) : undefined;
    if (rules === undefined || rules.length === 0) return NO_HEADERS;
    return Object.fromEntries(
      rules.flatMap(({ header, path }) => {
        const value = path.reduce<unknown>(
          (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
          args,
        );
        const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
        return isPlain ? [[header, toHeaderValue(String(value))]] : [];
      }),
    );
  }
}

const NO_RULES = { ok: true, rules: [] } as const;
const NO_HEADERS: Readonly<Record<string, string>> = {};

/** Converts text to a header value. Text that is not plain ASCII is encoded as base64. */
function toHeaderValue(value: string): string {
  const isPlain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(value) && !value.startsWith("=?");
  return isPlain ? value : `=?base64?${toBase64(encodeUtf8(value))}?=`;
}
