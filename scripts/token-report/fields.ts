/**
 * @fileoverview Fields that operations of the sample API share.
 * @module scripts/token-report/fields
 */
import { z } from "zod";

/** Pagination fields for list operations. */
export const paging = {
  page: z.number().int().min(1).optional().describe("Page to show, from 1"),
  limit: z.number().int().min(1).max(100).optional().describe("Most entries on a page"),
};

/** Fields for a range of days. */
export const period = {
  from: z.iso.date().describe("First day, as YYYY-MM-DD"),
  to: z.iso.date().describe("Last day, as YYYY-MM-DD"),
};

/** IDs that other operations return. */
export const ids = {
  userId: z.string().describe("Id of the user"),
  invoiceId: z.string().describe("Id of the invoice"),
  projectId: z.string().describe("Id of the project"),
  taskId: z.string().describe("Id of the task"),
  reportId: z.string().describe("Id of the report"),
  hookId: z.string().describe("Id of the webhook"),
};
