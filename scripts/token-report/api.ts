/**
 * @fileoverview Sample API for the token report: 40 operations of a team platform in six areas, written as a developer
 * would write them. The handlers are never called.
 * @module scripts/token-report/api
 */
import { z } from "zod";
import type { ActionConfig } from "tenon/grouped";
import type { StandardSchema } from "../../packages/tenon/src/schema/schema.js";
import { ids, paging, period } from "./fields.js";

/** Operation of the sample API. */
export type ApiAction = ActionConfig<unknown, StandardSchema | undefined, unknown>;

/** Group of related operations. */
export interface Area {
  readonly name: string;
  readonly description: string;
  readonly actions: readonly ApiAction[];
}

type Kind = "read" | "write" | "again" | "destroy";

/** @param kind read-only, write, idempotent write, or destructive */
function action(name: string, kind: Kind, description: string, fields: z.ZodRawShape = {}): ApiAction {
  return {
    name,
    description,
    schema: z.object(fields),
    readOnly: kind === "read",
    idempotent: kind === "read" || kind === "again",
    destructive: kind === "destroy",
    handler: () => "done",
  };
}

const role = z.enum(["member", "manager", "admin"]).describe("What the user may do");
const email = z.email().describe("Address for sign-in and notices");
const currency = z.enum(["EUR", "USD", "GBP"]).describe("Currency of the amounts");
const cents = z.number().int().min(1).describe("Amount in hundredths of the currency");
const title = z.string().max(200).describe("Short title");
const notes = z.string().describe("Text in Markdown");
const dueOn = z.iso.date().describe("Day by which it is to be done, as YYYY-MM-DD");
const url = z.url().describe("Where events are sent, over HTTPS");
const events = z.array(z.string()).describe("Kinds of events, such as task.created");
const format = z.enum(["csv", "pdf", "json"]).describe("Form of the file");
const reason = z.string().describe("Why, for the audit log");

/** Areas, with 40 operations in total. */
export const AREAS: readonly Area[] = [
  {
    name: "users",
    description: "People who have an account",
    actions: [
      action("list", "read", "List users, newest first", { ...paging, role: role.optional() }),
      action("get", "read", "Show one user", { userId: ids.userId }),
      action("search", "read", "Find users by name or address", { query: z.string(), ...paging }),
      action("create", "write", "Create a user and send an invitation", {
        email,
        fullName: z.string().describe("Name as it is shown"),
        role: role.optional(),
      }),
      action("update", "again", "Change a user's name or role", {
        userId: ids.userId,
        fullName: z.string().optional(),
        role: role.optional(),
      }),
      action("suspend", "again", "Stop a user from signing in", { userId: ids.userId, reason }),
      action("restore", "again", "Let a suspended user sign in again", { userId: ids.userId }),
      action("delete", "destroy", "Delete a user and all personal data", { userId: ids.userId, reason }),
    ],
  },
  {
    name: "billing",
    description: "Invoices, payments and plans",
    actions: [
      action("list_invoices", "read", "List invoices, newest first", { ...paging, ...optional(period) }),
      action("get_invoice", "read", "Show one invoice with its lines", { invoiceId: ids.invoiceId }),
      action("create_invoice", "write", "Draft an invoice", {
        userId: ids.userId,
        cents,
        currency,
        notes: notes.optional(),
      }),
      action("send_invoice", "write", "Send a drafted invoice", { invoiceId: ids.invoiceId }),
      action("void_invoice", "destroy", "Void an invoice that was sent", {
        invoiceId: ids.invoiceId,
        reason,
      }),
      action("refund", "destroy", "Pay back an invoice, or part of it", {
        invoiceId: ids.invoiceId,
        cents: cents.optional(),
        reason,
      }),
      action("get_plan", "read", "Show the plan that is paid for"),
      action("change_plan", "again", "Move to another plan from the next month on", {
        plan: z.enum(["free", "team", "business"]).describe("The plan to move to"),
      }),
    ],
  },
  {
    name: "projects",
    description: "Projects and who works on them",
    actions: [
      action("list", "read", "List projects", { ...paging, archived: z.boolean().optional() }),
      action("get", "read", "Show one project", { projectId: ids.projectId }),
      action("create", "write", "Create a project", { title, notes: notes.optional() }),
      action("update", "again", "Change a project's title or text", {
        projectId: ids.projectId,
        title: title.optional(),
        notes: notes.optional(),
      }),
      action("archive", "again", "Take a project out of the lists", { projectId: ids.projectId }),
      action("delete", "destroy", "Delete a project with all its tasks", {
        projectId: ids.projectId,
        reason,
      }),
      action("add_member", "again", "Let a user work on a project", {
        projectId: ids.projectId,
        userId: ids.userId,
        role: role.optional(),
      }),
      action("remove_member", "again", "Take a user off a project", {
        projectId: ids.projectId,
        userId: ids.userId,
      }),
    ],
  },
  {
    name: "tasks",
    description: "What is to be done in a project",
    actions: [
      action("list", "read", "List the tasks of a project", {
        projectId: ids.projectId,
        state: z.enum(["open", "done"]).optional().describe("Only tasks in this state"),
        ...paging,
      }),
      action("create", "write", "Add a task to a project", {
        projectId: ids.projectId,
        title,
        notes: notes.optional(),
        dueOn: dueOn.optional(),
      }),
      action("update", "again", "Change a task", {
        taskId: ids.taskId,
        title: title.optional(),
        notes: notes.optional(),
        dueOn: dueOn.optional(),
      }),
      action("assign", "again", "Give a task to a user", { taskId: ids.taskId, userId: ids.userId }),
      action("complete", "again", "Mark a task as done", { taskId: ids.taskId }),
      action("delete", "destroy", "Delete a task", { taskId: ids.taskId }),
    ],
  },
  {
    name: "reports",
    description: "Figures over a stretch of time",
    actions: [
      action("revenue", "read", "Revenue by month", { ...period, currency: currency.optional() }),
      action("activity", "read", "Sign-ins and changes by day", { ...period, userId: ids.userId.optional() }),
      action("workload", "read", "Open tasks by user", { projectId: ids.projectId.optional() }),
      action("list", "read", "List reports that were saved", paging),
      action("export", "write", "Save a report as a file and give a link", {
        reportId: ids.reportId,
        format,
      }),
      action("delete", "destroy", "Delete a report that was saved", { reportId: ids.reportId }),
    ],
  },
  {
    name: "webhooks",
    description: "Events that are sent to other systems",
    actions: [
      action("list", "read", "List webhooks", paging),
      action("create", "write", "Send events to an address", { url, events }),
      action("test", "write", "Send a trial event", { hookId: ids.hookId }),
      action("delete", "destroy", "Stop sending events to an address", { hookId: ids.hookId }),
    ],
  },
];

function optional(fields: Readonly<Record<string, z.ZodType>>): z.ZodRawShape {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()]));
}
