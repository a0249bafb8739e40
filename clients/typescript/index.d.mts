export * from "./api.mjs";
export { LOCAL, WaynoteError, pages } from "./http.mjs";
export type { CallOptions, ClientOptions, FeedMessage } from "./http.mjs";
