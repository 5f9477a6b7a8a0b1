/**
 * @fileoverview A resource in the domain model.
 * @module model/resource
 */
import type { Annotations } from "../protocol/index.js";
import type { ModelOptions } from "./base-model.js";
import type { ResourceFields } from "./fields.js";
import { GroupItem } from "./group.js";

/** Options of a resource: its URI and its optional fields. */
export type ResourceOptions = ModelOptions & Pick<ResourceFields, "uri"> & Partial<ResourceFields>;

/** A resource: its URI, its type and size, and annotations. */
export class Resource extends GroupItem implements ResourceFields {
  uri: string;
  size: number | undefined;
  mimeType: string | undefined;
  annotations: Annotations | undefined;

  constructor(name: string, options: ResourceOptions) {
    super(name, options);
    this.uri = options.uri;
    this.size = options.size;
    this.mimeType = options.mimeType;
    this.annotations = options.annotations;
  }
}
