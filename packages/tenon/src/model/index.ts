/**
 * @fileoverview `tenon/model`: classes for tools, prompts, resources, and groups, the tree of a server's definitions,
 * and base classes for converters.
 * @module tenon/model
 */
export { Role } from "../protocol/content.js";
export { CATALOG_META, catalog } from "./catalog.js";
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
  Prompt,
  PromptArgument,
  Resource,
  Tool,
  ToolAnnotations,
  type ToolAnnotationValues,
} from "./models.js";
