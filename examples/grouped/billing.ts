/**
 * @fileoverview Billing: a tool with two groups, of which one is for managers.
 * @module examples/grouped/billing
 */
import { McpError } from "tenon";
import { createTool, success } from "tenon/grouped";
import { z } from "zod";
import type { App, Invoice } from "./app.js";
import { audited, managersOnly } from "./middleware.js";

const invoiceId = z.string().describe("Id of the invoice");

/** Makes the tool. */
export function createBillingTool() {
  return createTool<App>("billing")
    .description("Invoices and refunds")
    .tags("money")
    .use(audited)
    .group("invoices", "What users owe", (g) =>
      g
        .action({
          name: "list",
          description: "List invoices",
          readOnly: true,
          schema: z.object({ unpaid: z.boolean().optional().describe("Only those that are open") }),
          handler: ({ invoices }, { unpaid }) =>
            success([...invoices.values()].filter((invoice) => unpaid !== true || !invoice.paid)),
        })
        .action({
          name: "get",
          description: "Show an invoice",
          readOnly: true,
          schema: z.object({ invoiceId }),
          handler: (app, args) => success(findInvoice(app, args.invoiceId)),
        }),
    )
    .group("refunds", "Money back", (g) =>
      g.use(managersOnly).action({
        name: "pay",
        description: "Pay an invoice back",
        destructive: true,
        schema: z.object({ invoiceId, reason: z.string().describe("Why, for the books") }),
        handler: (app, args) => {
          const invoice = findInvoice(app, args.invoiceId);
          if (!invoice.paid) throw new McpError("INVALID_PARAMS", `Invoice ${invoice.id} was never paid.`);
          app.invoices.set(invoice.id, { ...invoice, paid: false });
          return success(`${invoice.cents / 100} EUR go back: ${args.reason}`);
        },
      }),
    );
}

/** An `McpError` is told in its own words; any other error would stay in the log. */
function findInvoice({ invoices }: App, id: string): Invoice {
  const invoice = invoices.get(id);
  if (invoice === undefined) throw new McpError("NOT_FOUND", `No invoice ${id}`);
  return invoice;
}
