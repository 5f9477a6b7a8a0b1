/**
 * @fileoverview `tenon/model`: classes for tools, prompts, resources, and groups, the tree of a server's definitions,
 * and base classes for converters.
 * @module tenon/model
 */
export { type Annotations, Role } from "../protocol/index.js";
export { CALL_META, catalog, type Catalogued, TAGS_META, TEMPLATE_META } from "./catalog.js";
export {
  ConverterBase,
  GroupConverterBase,
  type Maybe,
  PromptConverterBase,
  ResourceConverterBase,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
} from "./converters.js";
export {
  BaseModel,
  Group,
  GroupItem,
  type ModelOptions,
  Prompt,
  PromptArgument,
  type PromptArgumentOptions,
  type PromptOptions,
  Resource,
  type ResourceOptions,
  Tool,
  ToolAnnotations,
  type ToolAnnotationValues,
  type ToolOptions,
} from "./models.js";
