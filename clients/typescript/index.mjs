export { Client } from "./api.mjs";
export { LOCAL, WaynoteError, pages } from "./http.mjs";
