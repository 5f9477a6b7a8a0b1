/**
 * @fileoverview Converts resources to and from their MCP definitions.
 * @module model/converters/resource-wire-converter
 */
import type { McpResourceDefinition } from "../../protocol/index.js";
import { Resource } from "../resource.js";
import { fromDescribed, toDescribed, withoutUndefined } from "./described.js";
import { ResourceConverterBase } from "./resource-converter-base.js";

/** Converts between resources and their MCP definitions. Drops parent groups. */
export class ResourceWireConverter extends ResourceConverterBase<McpResourceDefinition> {
  override convertFromResource(resource: Resource): McpResourceDefinition {
    const { uri, mimeType, size, annotations } = resource;
    return { ...toDescribed(resource), uri, ...withoutUndefined({ mimeType, size, annotations }) };
  }

  override convertToResource(definition: McpResourceDefinition): Resource {
    const { uri, mimeType, size, annotations } = definition;
    return new Resource(definition.name, { ...fromDescribed(definition), uri, mimeType, size, annotations });
  }
}
