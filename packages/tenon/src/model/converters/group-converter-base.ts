/**
 * @fileoverview Base class for group converters, with typed method names.
 * @module model/converters/group-converter-base
 */
import type { Group } from "../group.js";
import { ConverterBase, type Maybe } from "./converter-base.js";

/** Converts between `Group` and `T`. Subclasses implement `convertFromGroup` and `convertToGroup`. */
export abstract class GroupConverterBase<T> extends ConverterBase<Group, T> {
  convertFromGroups(groups: readonly Maybe<Group>[]): T[] {
    return this.convertFromBatch(groups);
  }

  convertToGroups(targets: readonly Maybe<T>[]): Group[] {
    return this.convertToBatch(targets);
  }

  abstract convertFromGroup(group: Group): Maybe<T>;

  abstract convertToGroup(target: T): Maybe<Group>;

  protected override convertFromSingle(group: Group): Maybe<T> {
    return this.convertFromGroup(group);
  }

  protected override convertToSingle(target: T): Maybe<Group> {
    return this.convertToGroup(target);
  }
}
