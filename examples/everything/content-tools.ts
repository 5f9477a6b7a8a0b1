/**
 * @fileoverview Tools that return each kind of content, an error, a rich schema, and an argument mirrored in a
 * header.
 * @module examples/everything/content-tools
 */
import { McpError, type ServerBuilder, type ToolMap } from "tenon";
import { z } from "zod";
import { RED_PIXEL, SILENCE } from "./media.js";

/** Adds the tools. The first one needs no arguments, for clients that try the first tool of the list. */
export function addContentTools<Tools extends ToolMap>(builder: ServerBuilder<unknown, Tools>) {
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
      description: "Returns text, an image and a resource.",
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
      description:
        "Takes an address and contact data, with a schema that uses many keywords of JSON Schema 2020-12.",
      input: CONTACT,
      handler: (contact) => `Accepted: ${JSON.stringify(contact)}`,
    })
    .tool("test_header_argument", {
      description:
        "Returns its region, which HTTP clients of 2026-07-28 also send in the header Mcp-Param-Region.",
      input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
      handler: ({ region }) => `The region is ${region}`,
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
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;
