/**
 * @fileoverview `tenon/model`: classes for tools, prompts, resources, and groups, and converters between these classes
 * and MCP definitions.
 * @module tenon/model
 */
export { type Annotations, RETURN_DIRECT_META, Role } from "../protocol/index.js";
export { BaseModel, type ModelOptions } from "./base-model.js";
export { CALL_META, catalog, type Catalogued, TAGS_META, TEMPLATE_META } from "./converters/catalog.js";
export { ConverterBase, type Maybe } from "./converters/converter-base.js";
export { GroupConverterBase } from "./converters/group-converter-base.js";
export { PromptConverterBase } from "./converters/prompt-converter-base.js";
export { PromptWireConverter } from "./converters/prompt-wire-converter.js";
export { ResourceConverterBase } from "./converters/resource-converter-base.js";
export { ResourceWireConverter } from "./converters/resource-wire-converter.js";
export { ToolAnnotationsConverterBase } from "./converters/tool-annotations-converter-base.js";
export { ToolAnnotationsWireConverter } from "./converters/tool-annotations-wire-converter.js";
export { ToolConverterBase } from "./converters/tool-converter-base.js";
export { ToolWireConverter } from "./converters/tool-wire-converter.js";
export type { PromptFields, ResourceFields, ToolFields } from "./fields.js";
export { Group, GroupItem, type PromptItem, type ResourceItem, type ToolItem } from "./group.js";
export { Prompt, type PromptOptions } from "./prompt.js";
export { PromptArgument, type PromptArgumentOptions } from "./prompt-argument.js";
export { Resource, type ResourceOptions } from "./resource.js";
export { Tool, type ToolOptions } from "./tool.js";
export { ToolAnnotations, type ToolAnnotationValues } from "./tool-annotations.js";
