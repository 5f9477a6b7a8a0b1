/**
 * @fileoverview Output schemas of document 003, copied without changes: correct and wrong samples of each property.
 * @module tests/kit/support/document-samples
 */

/** Code blocks by the property that they explain. */
export const SAMPLES = {
  items: `
// CORRECT: Consistent property name
const successBranchSchema = z.object({
  type: z.literal('success'),
  items: z.array(MessageSchema),
  nextPageToken: z.string().optional(),
});

// WRONG: Type-specific property names
const successBranchSchema = z.object({
  type: z.literal('success'),
  messages: z.array(MessageSchema),  // ❌ Should be "items"
  files: z.array(FileSchema),        // ❌ Should be "items"
  folders: z.array(FolderSchema),    // ❌ Should be "items"
});
`,
  item: `
// CORRECT: Wrapped with "item"
const successBranchSchema = z.object({
  type: z.literal('success'),
  item: EmailDetailSchema,
});

// WRONG: Flattened or type-specific
const successBranchSchema = EmailDetailSchema.extend({
  type: z.literal('success'),  // ❌ Flattening loses structure
});
`,
  columns: `
// CORRECT: Database-like terminology
const successBranchSchema = z.object({
  type: z.literal('success'),
  columns: z.array(z.string()).describe('Column names from first row'),
  isEmpty: z.boolean(),
});

// WRONG: Ambiguous "headers"
const successBranchSchema = z.object({
  type: z.literal('success'),
  headers: z.array(z.string()),  // ❌ Should be "columns"
});
`,
  rows: `
// CORRECT: Clear row orientation
const successBranchSchema = z.object({
  type: z.literal('success'),
  range: z.string(),
  rows: z.array(z.array(CellSchema)).describe('2D array - each inner array is a row'),
});

// WRONG: Ambiguous "values" when orientation is fixed
const successBranchSchema = z.object({
  type: z.literal('success'),
  values: z.array(z.array(CellSchema)),  // ❌ Should be "rows" when row-oriented
});
`,
  values: `
// CORRECT: Flexible granularity via parameter
const successBranchSchema = z.discriminatedUnion('select', [
  z.object({
    select: z.literal('cells'),
    values: z.array(CellMatchSchema),  // ✅ Individual cells
  }),
  z.object({
    select: z.literal('rows'),
    values: z.array(z.array(CellSchema)),  // ✅ Full rows
  }),
  z.object({
    select: z.literal('columns'),
    values: z.array(z.array(CellSchema)),  // ✅ Full columns
  }),
]);
`,
  shape: `
// Objects shape (default)
const objectsSchema = z.object({
  shape: z.literal('objects'),
  items: z.array(ItemSchema),
});

// Arrays shape (columnar)
const arraysSchema = z.object({
  shape: z.literal('arrays'),
  columns: z.array(z.string()),        // Column names
  rows: z.array(z.array(CellSchema)),  // Row data
});
`,
} as const;
