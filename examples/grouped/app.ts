/**
 * @fileoverview The application behind the tools: users, invoices, and the acting user. Every handler receives it as
 * its context.
 * @module examples/grouped/app
 */

/** User account. */
export interface User {
  readonly id: string;
  readonly name: string;
  readonly role: "member" | "manager";
  readonly banned?: boolean;
}

/** Invoice for a user. Amounts are in cents. */
export interface Invoice {
  readonly id: string;
  readonly userId: string;
  readonly cents: number;
  readonly paid: boolean;
}

/** Context that every handler receives. */
export interface App {
  readonly actor: { readonly name: string; readonly role: User["role"] };
  readonly users: Map<string, User>;
  readonly invoices: Map<string, Invoice>;
  /** Audit log. Each entry names the actor and the action. */
  readonly audit: string[];
}

/** Creates an application with sample data. */
export function createApp(actor: App["actor"]): App {
  const users: readonly User[] = [
    { id: "u1", name: "Ada", role: "manager" },
    { id: "u2", name: "Alan", role: "member" },
  ];
  const invoices: readonly Invoice[] = [
    { id: "i1", userId: "u1", cents: 4_900, paid: true },
    { id: "i2", userId: "u2", cents: 1_200, paid: false },
  ];
  return {
    actor,
    users: new Map(users.map((user) => [user.id, user])),
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
    audit: [],
  };
}
