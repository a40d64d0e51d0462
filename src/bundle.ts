// The exports of dist/index.js: one entry a step; main.js, post.js and sweep.js call them.
export { main } from "./main.ts";
export { post } from "./post.ts";
export { sweep } from "./sweep.ts";
