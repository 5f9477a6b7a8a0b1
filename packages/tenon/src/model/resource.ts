/**
 * @fileoverview Resource in the domain model.
 * @module model/resource
 */
import type { Annotations } from "../protocol/index.js";
import type { ModelOptions } from "./base-model.js";
import type { ResourceFields } from "./fields.js";
import { GroupItem } from "./group.js";

/** Options for `Resource`. Only `uri` is required. */
export type ResourceOptions = ModelOptions & Pick<ResourceFields, "uri"> & Partial<ResourceFields>;

/** Resource with a URI, a MIME type, a size, and annotations. It can belong to more than one group. */
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
