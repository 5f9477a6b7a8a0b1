/**
 * @fileoverview Builders for output schemas with `items`, `item`, `columns`, `rows`, or `values`, and for error and
 * login branches. Zod is passed in, so that importing this package does not load it.
 * @module kit/output/output-vocabulary
 */
import type { z } from "zod";

/** The Zod namespace: `import { z } from "zod"`. */
export type Zod = typeof z;

type AnySchema = z.ZodType;
type Discriminated = Parameters<Zod["discriminatedUnion"]>[1][number];

/**
 * Creates the schema builders.
 *
 * @example
 * const { itemsOutput } = outputVocabulary(z);
 * const outputSchema = itemsOutput(z.object({ id: z.string(), subject: z.string() }));
 */
export function outputVocabulary(zod: Zod) {
  /** Fields for paginated results and arguments. */
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
    /** Output fields for the next page. */
    output: {
      nextPageToken: zod.string().optional().describe("Pass this as pageToken to get the next page"),
      hint: zod.string().optional().describe("Instructions for getting the remaining items"),
    },
    /** Input field for the page to return. */
    input: {
      pageToken: zod.string().max(500).optional().describe("The nextPageToken from the previous page"),
    },
  };
}

/** Fields that more than one schema uses. */
interface SharedFields {
  readonly success: { readonly type: z.ZodLiteral<"success"> };
  readonly page: ReturnType<typeof paginationFields>["output"];
}

function itemOutputs(zod: Zod, { success, page }: SharedFields) {
  return {
    /** List of objects: `{ type: "success", items, nextPageToken? }`. */
    itemsOutput: <Item extends AnySchema>(item: Item) =>
      zod.object({ ...success, items: zod.array(item), ...page }),

    /** Single wrapped object: `{ type: "success", item }`. */
    itemOutput: <Item extends AnySchema>(item: Item) => zod.object({ ...success, item }),
  };
}

function tableOutputs(zod: Zod, { success, page }: SharedFields) {
  return {
    /** Column names: `{ type: "success", columns }`. */
    columnsOutput: () => zod.object({ ...success, columns: zod.array(zod.string()) }),

    /** Table in row-major order: `{ type: "success", rows }`. */
    rowsOutput: <Cell extends AnySchema = DefaultCell>(cell?: Cell) =>
      zod.object({ ...success, rows: tableOf(zod, cell), ...page }),
  };
}

/** Outputs whose form depends on an argument, and builders for those arguments. */
function selectedOutputs(zod: Zod, { success, page }: SharedFields) {
  return {
    /** Cells, rows, or columns, selected by a `select` argument: `{ type: "success", select, values }`. */
    valuesOutput: <Match extends AnySchema, Cell extends AnySchema = DefaultCell>(
      match: Match,
      cell?: Cell,
    ) => {
      const cells = zod.object({ ...success, select: zod.literal("cells"), values: zod.array(match) });
      const rows = zod.object({ ...success, select: zod.literal("rows"), values: tableOf(zod, cell) });
      const columns = zod.object({ ...success, select: zod.literal("columns"), values: tableOf(zod, cell) });
      return zod.discriminatedUnion("select", [cells, rows, columns]).meta(IS_OBJECT);
    },

    /** Objects or a table, selected by a `shape` argument: `{ type: "success", shape, … }`. */
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

    /** `shape` argument for tools with `shapedOutput`. */
    shapeInput: () =>
      zod
        .enum(["objects", "arrays"])
        .default("objects")
        .describe("Result format: a list of objects, or arrays with columns and rows"),

    /** `select` argument for tools with `valuesOutput`. */
    selectInput: () =>
      zod.enum(["cells", "rows", "columns"]).describe("Selects cells, rows, or columns as values"),
  };
}

function branchOutputs(zod: Zod) {
  /** Error branch, as returned by `toErrorBranch`. */
  const errorOutput = () =>
    zod.object({
      type: zod.literal("error"),
      error: zod.string(),
      code: zod.string().optional(),
      help: zod.string().optional(),
    });

  /** Login branch, as returned by `buildAuthResponse` in its structured content. */
  const authOutput = () =>
    zod.object({ type: zod.literal("auth_required"), authUrl: zod.string(), message: zod.string() });

  /** Union of success, error, and login branches, discriminated by `type`. */
  const branchedOutput = <Success extends Discriminated>(branch: Success) =>
    zod.discriminatedUnion("type", [branch, errorOutput(), authOutput()]).meta(IS_OBJECT);

  return { errorOutput, authOutput, branchedOutput };
}

type DefaultCell = ReturnType<typeof defaultCell>;

function defaultCell(zod: Zod) {
  return zod.union([zod.string(), zod.number(), zod.boolean(), zod.null()]);
}

function tableOf<Cell extends AnySchema>(zod: Zod, cell: Cell | undefined) {
  return zod.array(zod.array((cell ?? defaultCell(zod)) as Cell)); // Safe: without `cell`, `Cell` is `DefaultCell`
}

/** Clients require the output schema's type to be `object`, so a union must declare it at the top level. */
const IS_OBJECT = { type: "object" } as const;
