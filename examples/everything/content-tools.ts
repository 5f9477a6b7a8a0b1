/**
 * @fileoverview Tools that return each content type or an error, a tool with a complex schema, and a tool with an
 * argument that clients repeat in a header.
 * @module examples/everything/content-tools
 */
import { McpError, type ServerBuilder } from "tenon";
import { z } from "zod";
import { RED_PIXEL, SILENCE } from "./media.js";

/** Adds the tools to a server. The first tool has no arguments, because some clients try the first tool in the list. */
export function addContentTools(builder: ServerBuilder) {
  return builder
    .tool("test_simple_text", {
      description: "Returns a line of text.",
      handler: () => "This is a simple text response for testing.",
    })
    .tool("test_image_content", {
      description: "Returns an image of one red pixel.",
      handler: () => ({ type: "image", data: RED_PIXEL, mimeType: "image/png" }),
    })
    .tool("test_audio_content", {
      description: "Returns one silent audio sample.",
      handler: () => ({ type: "audio", data: SILENCE, mimeType: "audio/wav" }),
    })
    .tool("test_embedded_resource", {
      description: "Returns an embedded resource.",
      handler: () => ({
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      }),
    })
    .tool("test_multiple_content_types", {
      description: "Returns text, an image, and a resource.",
      handler: () => [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: RED_PIXEL, mimeType: "image/png" },
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 }),
          },
        },
      ],
    })
    .tool("test_error_handling", {
      description: "Always fails with an error result.",
      handler: () => {
        throw new McpError("INTERNAL_ERROR", "This tool intentionally returns an error for testing");
      },
    })
    .tool("json_schema_2020_12_tool", {
      description: "Accepts an address and contact data. The schema uses many JSON Schema 2020-12 keywords.",
      input: CONTACT,
      handler: (contact) => `Accepted: ${JSON.stringify(contact)}`,
    })
    .tool("test_header_argument", {
      description:
        "Returns its region. In revision 2026-07-28, HTTP clients also send it in the Mcp-Param-Region header.",
      input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
      handler: ({ region }) => `The region is ${region}.`,
    });
}

const CONTACT = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a JSON Schema keyword
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;
