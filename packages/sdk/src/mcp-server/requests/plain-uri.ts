/**
 * @fileoverview Normalizes resource URIs, as the official SDK does.
 * @module sdk/mcp-server/requests/plain-uri
 */
import { isUrl } from "@tenon/internal/security/is-url";
import type { Exchange } from "tenon";
import type { Request } from "./request-scope.js";
import type { Lookup } from "../dialect.js";

/**
 * Normalizes the URI in `resources/read`, unless that exact URI is registered. In the stateless revision, the URI stays
 * unchanged, because a header repeats it.
 */
export function withPlainUri(message: Request, exchange: Exchange | undefined, lookup: Lookup): Request {
  const { method, params } = message;
  if (method !== "resources/read" || exchange?.connection.era !== "legacy") return message;
  const uri = params?.["uri"];
  if (typeof uri !== "string" || lookup.hasResource(uri) || !isUrl(uri)) return message;
  return { ...message, params: { ...params, uri: new URL(uri).href } };
}
