/**
 * @fileoverview Resources, to and from the wire.
 * @module model/converters/resource-wire-converter
 */
import type { McpResourceDefinition } from "../../protocol/index.js";
import { Resource } from "../resource.js";
import { fromDescribed, toDescribed, withoutUndefined } from "./described.js";
import { ResourceConverterBase } from "./resource-converter-base.js";

/** Converts between resources and their definitions in MCP. The groups of a resource stay behind. */
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
