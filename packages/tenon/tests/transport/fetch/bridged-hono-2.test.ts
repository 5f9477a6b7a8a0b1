import { getRequestListener } from "@hono/node-server";
import { describeBridge } from "../../support/transport/fetch/bridged-requests.js";

describeBridge("version 2 of Hono's server", (handler) => getRequestListener(handler));
