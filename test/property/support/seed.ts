import fc from "fast-check";

const { PROPERTY_SEED = "1" } = process.env;

// A fixed seed: a change is judged by what it changes, and not by what is drawn that day.
fc.configureGlobal({ seed: PROPERTY_SEED === "fresh" ? Date.now() : Number(PROPERTY_SEED) });
