/**
 * @fileoverview Billing: a tool with two groups, one of them for managers only.
 * @module examples/grouped/billing
 */
import { McpError } from "tenon";
import { createTool, success } from "tenon/grouped";
import { z } from "zod";
import type { App, Invoice } from "./app.js";
import { audited, managersOnly } from "./middleware.js";

const invoiceId = z.string().describe("Invoice ID");

/** Creates the billing tool. */
export function createBillingTool() {
  return createTool<App>("billing")
    .description("Invoices and refunds")
    .tags("money")
    .use(audited)
    .group("invoices", "List and show invoices", (g) =>
      g
        .action({
          name: "list",
          description: "List invoices",
          readOnly: true,
          schema: z.object({ unpaid: z.boolean().optional().describe("Only unpaid invoices") }),
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
    .group("refunds", "Refund paid invoices", (g) =>
      g.use(managersOnly).action({
        name: "pay",
        description: "Refund an invoice",
        destructive: true,
        schema: z.object({ invoiceId, reason: z.string().describe("Reason for the refund") }),
        handler: (app, args) => {
          const invoice = findInvoice(app, args.invoiceId);
          if (!invoice.paid)
            throw new McpError(
              "INVALID_PARAMS",
              `Invoice ${invoice.id} cannot be refunded, because it has not been paid.`,
            );
          app.invoices.set(invoice.id, { ...invoice, paid: false });
          return success(`Refunded ${invoice.cents / 100} EUR: ${args.reason}`);
        },
      }),
    );
}

/** Finds an invoice. Clients see the message of an `McpError`. Other errors are only logged. */
function findInvoice({ invoices }: App, id: string): Invoice {
  const invoice = invoices.get(id);
  if (invoice === undefined)
    throw new McpError("NOT_FOUND", `Invoice "${id}" was not found. Use invoices.list to find its ID.`);
  return invoice;
}
