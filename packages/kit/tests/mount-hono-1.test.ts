import { createAdaptorServer } from "hono-node-server-1";
import { describeTransport } from "../../../tests/support/contract/transport-contract.js";
import { mountOnHonoServer } from "./support/mounted-apps.js";
import { officialClientOn } from "./support/official-wire.js";

// A separate file, because each version of the server replaces the global `Request` and `Response`.
describeTransport(
  "Hono on version 1 of its server for Node",
  officialClientOn(() => mountOnHonoServer(createAdaptorServer)),
);
