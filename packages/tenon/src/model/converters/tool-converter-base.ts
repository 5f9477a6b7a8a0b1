/**
 * @fileoverview Base class for tool converters, with typed method names.
 * @module model/converters/tool-converter-base
 */
import type { Tool } from "../tool.js";
import { ConverterBase, type Maybe } from "./converter-base.js";

/** Converts between `Tool` and `T`. Subclasses implement `convertFromTool` and `convertToTool`. */
export abstract class ToolConverterBase<T> extends ConverterBase<Tool, T> {
  convertFromTools(tools: readonly Maybe<Tool>[]): T[] {
    return this.convertFromBatch(tools);
  }

  convertToTools(targets: readonly Maybe<T>[]): Tool[] {
    return this.convertToBatch(targets);
  }

  abstract convertFromTool(tool: Tool): Maybe<T>;

  abstract convertToTool(target: T): Maybe<Tool>;

  protected override convertFromSingle(tool: Tool): Maybe<T> {
    return this.convertFromTool(tool);
  }

  protected override convertToSingle(target: T): Maybe<Tool> {
    return this.convertToTool(target);
  }
}
