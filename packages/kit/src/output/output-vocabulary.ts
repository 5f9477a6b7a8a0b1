/**
 * @fileoverview The names that results use, as schemas: `items`, `item`, `columns`, `rows`, `values`, and the branches
 * of success, failure and login. Zod is passed in, so that who parses a configuration does not load it.
 * @module kit/output-vocabulary
 */
import type { z } from "zod";

/** Zod itself: `import { z } from "zod"`. */
export type Zod = typeof z;

type AnySchema = z.ZodType;
type Discriminated = Parameters<Zod["discriminatedUnion"]>[1][number];

/**
 * The builders of output schemas.
 *
 * @example
 * const { itemsOutput } = outputVocabulary(z);
 * const outputSchema = itemsOutput(z.object({ id: z.string(), subject: z.string() }));
 */
export function outputVocabulary(zod: Zod) {
  const success = { type: zod.literal("success") };
  const defaultCell = () => zod.union([zod.string(), zod.number(), zod.boolean(), zod.null()]);
  const table = <Cell extends AnySchema>(cell: Cell) => zod.array(zod.array(cell));

  /** Fields for results and arguments that come in pages. */
  const pagination = {
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

  /** Several things of one kind: `{ type: "success", items, nextPageToken? }`. */
  function itemsOutput<Item extends AnySchema>(item: Item) {
    return zod.object({ ...success, items: zod.array(item), ...pagination.output });
  }

  /** One thing, wrapped: `{ type: "success", item }`. */
  function itemOutput<Item extends AnySchema>(item: Item) {
    return zod.object({ ...success, item });
  }

  /** The names of columns: `{ type: "success", columns }`. */
  function columnsOutput() {
    return zod.object({ ...success, columns: zod.array(zod.string()) });
  }

  /** A table, row by row: `{ type: "success", rows }`. */
  function rowsOutput<Cell extends AnySchema = ReturnType<typeof defaultCell>>(cell?: Cell) {
    const rows = table((cell ?? defaultCell()) as Cell); // the default of its type
    return zod.object({ ...success, rows, ...pagination.output });
  }

  /** Cells, rows or columns, as an argument `select` asks: `{ type: "success", select, values }`. */
  function valuesOutput<Match extends AnySchema, Cell extends AnySchema = ReturnType<typeof defaultCell>>(
    match: Match,
    cell?: Cell,
  ) {
    const line = () => table((cell ?? defaultCell()) as Cell); // the default of its type
    const cells = zod.object({ ...success, select: zod.literal("cells"), values: zod.array(match) });
    const rows = zod.object({ ...success, select: zod.literal("rows"), values: line() });
    const columns = zod.object({ ...success, select: zod.literal("columns"), values: line() });
    return zod.discriminatedUnion("select", [cells, rows, columns]).meta(IS_OBJECT);
  }

  /** Objects, or the same as a table, as an argument `shape` asks. */
  function shapedOutput<Item extends AnySchema, Cell extends AnySchema = ReturnType<typeof defaultCell>>(
    item: Item,
    cell?: Cell,
  ) {
    const objects = zod.object({
      ...success,
      shape: zod.literal("objects"),
      items: zod.array(item),
      ...pagination.output,
    });
    const arrays = zod.object({
      ...success,
      shape: zod.literal("arrays"),
      columns: zod.array(zod.string()),
      rows: table((cell ?? defaultCell()) as Cell), // the default of its type
      ...pagination.output,
    });
    return zod.discriminatedUnion("shape", [objects, arrays]).meta(IS_OBJECT);
  }

  /** The argument that goes with `shapedOutput`. */
  function shapeInput() {
    return zod
      .enum(["objects", "arrays"])
      .default("objects")
      .describe("objects, or a table of columns and rows");
  }

  /** The argument that goes with `valuesOutput`. */
  function selectInput() {
    return zod.enum(["cells", "rows", "columns"]).describe("What the values are");
  }

  /** A failure: what `toErrorBranch` gives. */
  function errorOutput() {
    return zod.object({
      type: zod.literal("error"),
      error: zod.string(),
      code: zod.string().optional(),
      help: zod.string().optional(),
    });
  }

  /** A login: what `buildAuthResponse` gives. */
  function authOutput() {
    return zod.object({ type: zod.literal("auth_required"), authUrl: zod.string(), message: zod.string() });
  }

  /** A success, a failure or a login, told apart by `type`. */
  function branchedOutput<Success extends Discriminated>(branch: Success) {
    return zod.discriminatedUnion("type", [branch, errorOutput(), authOutput()]).meta(IS_OBJECT);
  }

  return {
    pagination,
    itemsOutput,
    itemOutput,
    columnsOutput,
    rowsOutput,
    valuesOutput,
    shapedOutput,
    shapeInput,
    selectInput,
    errorOutput,
    authOutput,
    branchedOutput,
  };
}

/** Clients take nothing but objects for output; that every branch is one must be said at the top. */
const IS_OBJECT = { type: "object" } as const;
