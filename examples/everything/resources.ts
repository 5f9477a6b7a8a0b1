/**
 * @fileoverview Resources: text, binary data, a template, and a resource that changes.
 * @module examples/everything/resources
 */
import type { ServerBuilder } from "tenon";
import { RED_PIXEL } from "./media.js";

/** URI of the resource that `test_trigger_resource_update` reports as changed. */
export const WATCHED = "test://watched-resource";

/** Adds the resources to a server. */
export function addResources(builder: ServerBuilder) {
  return builder
    .resource("static-text", {
      uri: "test://static-text",
      description: "A line of text.",
      mimeType: "text/plain",
      cache: { ttlMs: 60_000, cacheScope: "public" },
      handler: () => "This is the content of the static text resource.",
    })
    .resource("static-binary", {
      uri: "test://static-binary",
      description: "An image of one red pixel.",
      mimeType: "image/png",
      handler: () => Uint8Array.from(atob(RED_PIXEL), (byte) => byte.charCodeAt(0)),
    })
    .resource("watched-resource", {
      uri: WATCHED,
      description:
        "The current time. To test subscriptions, subscribe and call test_trigger_resource_update.",
      mimeType: "text/plain",
      handler: () => new Date().toISOString(),
    })
    .resourceTemplate("template", {
      uriTemplate: "test://template/{id}/data",
      description: "Data for any ID.",
      mimeType: "application/json",
      complete: { id: (typed) => ["123", "124", "200"].filter((id) => id.startsWith(typed)) },
      handler: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    });
}
