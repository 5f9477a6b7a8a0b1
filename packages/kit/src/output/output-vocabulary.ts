/**
 * @fileoverview Schemas of the names that results use: `items`, `item`, `columns`, `rows`, `values`, and the branches of
 * success, failure and login. Zod is passed in, so that a program that only parses its configuration does not load it.
 * @module kit/output-vocabulary
 */
import type { z } from "zod";

/** Zod itself: `import { z } from "zod"`. */
export type Zod = typeof z;

type AnySchema = z.ZodType;
type Discriminated = Parameters<Zod["discriminatedUnion"]>[1][number];

/**
 * Creates the builders of output schemas.
 *
 * @example
 * const { itemsOutput } = outputVocabulary(z);
 * const outputSchema = itemsOutput(z.object({ id: z.string(), subject: z.string() }));
 */
export function outputVocabulary(zod: Zod) {
  /** Fields for results and arguments that come in pages. */
  const pagination = paginationFields(zod);
  const parts = { success: { type: zod.literal("success") }, page: pagination.output };
  return {
    pagination,
    ...itemOutputs(zod, parts),
    ...tableOutputs(zod, parts),
    ...selectedOutputs(zod, parts),
    ...branchOutputs(zod),
  };
}

function paginationFields(zod: Zod) {
  return {
    /** For the result: where the next page begins. */
    output: {
      nextPageToken: zod.string().optional().describe("Give this as pageToken to get the next page"),
      hint: zod.string().optional().describe("How to get the rest"),
    },
    /** For the arguments. */
    input: {
      pageToken: zod.string().max(500).optional().describe("The nextPageToken of the page before"),
    },
  };
}

/** Fields that several schemas have. */
interface SharedFields {
  readonly success: { readonly type: z.ZodLiteral<"success"> };
  readonly page: ReturnType<typeof paginationFields>["output"];
}

function itemOutputs(zod: Zod, { success, page }: SharedFields) {
  return {
    /** Several things of one kind: `{ type: "success", items, nextPageToken? }`. */
    itemsOutput: <Item extends AnySchema>(item: Item) =>
      zod.object({ ...success, items: zod.array(item), ...page }),

    /** One thing, wrapped: `{ type: "success", item }`. */
    itemOutput: <Item extends AnySchema>(item: Item) => zod.object({ ...success, item }),
  };
}

function tableOutputs(zod: Zod, { success, page }: SharedFields) {
  return {
    /** The names of columns: `{ type: "success", columns }`. */
    columnsOutput: () => zod.object({ ...success, columns: zod.array(zod.string()) }),

    /** A table, row by row: `{ type: "success", rows }`. */
    rowsOutput: <Cell extends AnySchema = DefaultCell>(cell?: Cell) =>
      zod.object({ ...success, rows: tableOf(zod, cell), ...page }),
  };
}

/** Outputs whose form depends on an argument, with those arguments. */
function selectedOutputs(zod: Zod, { success, page }: SharedFields) {
  return {
    /** Cells, rows or columns, as an argument `select` asks: `{ type: "success", select, values }`. */
    valuesOutput: <Match extends AnySchema, Cell extends AnySchema = DefaultCell>(
      match: Match,
      cell?: Cell,
    ) => {
      const cells = zod.object({ ...success, select: zod.literal("cells"), values: zod.array(match) });
      const rows = zod.object({ ...success, select: zod.literal("rows"), values: tableOf(zod, cell) });
      const columns = zod.object({ ...success, select: zod.literal("columns"), values: tableOf(zod, cell) });
      return zod.discriminatedUnion("select", [cells, rows, columns]).meta(IS_OBJECT);
    },

    /** Objects, or the same as a table, as an argument `shape` asks. */
    shapedOutput: <Item extends AnySchema, Cell extends AnySchema = DefaultCell>(item: Item, cell?: Cell) => {
      const objects = zod.object({
        ...success,
        shape: zod.literal("objects"),
        items: zod.array(item),
        ...page,
      });
      const arrays = zod.object({
        ...success,
        shape: zod.literal("arrays"),
        columns: zod.array(zod.string()),
        rows: tableOf(zod, cell),
        ...page,
      });
      return zod.discriminatedUnion("shape", [objects, arrays]).meta(IS_OBJECT);
    },

    /** The argument that goes with `shapedOutput`. */
    shapeInput: () =>
      zod.enum(["objects", "arrays"]).default("objects").describe("objects, or a table of columns and rows"),

    /** The argument that goes with `valuesOutput`. */
    selectInput: () => zod.enum(["cells", "rows", "columns"]).describe("What the values are"),
  };
}

function branchOutputs(zod: Zod) {
  /** A failure: what `toErrorBranch` returns. */
  const errorOutput = () =>
    zod.object({
      type: zod.literal("error"),
      error: zod.string(),
      code: zod.string().optional(),
      help: zod.string().optional(),
    });

  /** A login: what `buildAuthResponse` returns. */
  const authOutput = () =>
    zod.object({ type: zod.literal("auth_required"), authUrl: zod.string(), message: zod.string() });

  /** A success, a failure or a login, told apart by `type`. */
  const branchedOutput = <Success extends Discriminated>(branch: Success) =>
    zod.discriminatedUnion("type", [branch, errorOutput(), authOutput()]).meta(IS_OBJECT);

  return { errorOutput, authOutput, branchedOutput };
}

type DefaultCell = ReturnType<typeof defaultCell>;

function defaultCell(zod: Zod) {
  return zod.union([zod.string(), zod.number(), zod.boolean(), zod.null()]);
}

function tableOf<Cell extends AnySchema>(zod: Zod, cell: Cell | undefined) {
  return zod.array(zod.array((cell ?? defaultCell(zod)) as Cell)); // without a cell, `Cell` is `DefaultCell`
}

/** Clients accept only objects as output. With several branches, this must be said at the top. */
const IS_OBJECT = { type: "object" } as const;
