/** The state of the bill when no create was ever sent. */
export const NOTHING_RENTED = "Nothing was rented.";
/** … when what was rented is destroyed. */
export const NOTHING_LEFT = "Nothing is rented any more.";
/** … when an instance may still turn up. */
export const MAY_TURN_UP = "One create gave no answer: the post step looks for what may come of it.";
