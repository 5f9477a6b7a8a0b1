import { getRequestListener } from "hono-node-server-1";
import { describeBridge } from "../../support/transport/fetch/bridged-requests.js";

describeBridge("version 1 of Hono's server", (handler) => getRequestListener(handler));
